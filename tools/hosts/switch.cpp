// A switch between pretended hosts: network namespaces, each with a TAP device that ends here. Every frame
// waits for the bandwidth of its sender's and its receiver's link and for the latency between them. On the
// sender's link frames for different receivers take turns; on the receiver's they go as they come.
//
//   switch HOSTS LATENCY_US MBIT_PER_S      as root
//
// Host i is 10.78.0.i on tap0. Prints its process and the descriptors of the hosts' namespaces, separated by
// colons, and forwards until its standard input closes. Nothing of this has a name or outlives the process:
// with it the kernel ends all processes of the hosts, and with these the namespaces and devices.

#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <queue>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kLargestFrame = 9018, kMostWaiting = 8192;
constexpr int kMtu = 9000;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "switch: %s: %s\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

int require(int status, const std::string& what) {
  if (status < 0) fail(what);
  return status;
}

struct Frame {
  Time due;  ///< at its sender's link, then at its receiver's, then at its receiver
  std::uint64_t number;
  std::vector<unsigned char> bytes;
  bool operator>(const Frame& other) const {
    return due != other.due ? due > other.due : number > other.number;
  }
};

struct Host {
  int tap, network;
  Time up_free{}, down_free{};               ///< when its links have sent what they have
  std::vector<std::deque<Frame>> leaving{};  ///< by receiver; the last for all
  std::size_t turn = 0;                      ///< whose frame leaves next
  std::priority_queue<Frame, std::vector<Frame>, std::greater<>> coming{};  ///< to its link
  std::deque<Frame> waiting{};  ///< on its link, or for it, by time
};

struct Network {
  Clock::duration latency;
  double bytes_per_s;
  Clock::duration time_of(std::size_t bytes) const {
    return std::chrono::duration_cast<Clock::duration>(Seconds(static_cast<double>(bytes) / bytes_per_s));
  }
};

/// Goes on as the first process of a namespace of processes: with it the kernel ends all that the hosts run.
void become_first_process() {
  require(unshare(CLONE_NEWPID), "a namespace of processes");
  const auto child = require(fork(), "a process");
  if (child > 0) {
    int status = 0;
    waitpid(child, &status, 0);
    std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/// The number of this process outside, where /proc has been mounted.
std::string outer_process_id() {
  char text[32]{};
  require(static_cast<int>(readlink("/proc/self", text, sizeof text - 1)), "/proc/self");
  return text;
}

/// Sets an option of TCP of the namespace that this process is in.
void configure(const std::string& option, const std::string& value) {
  const auto path = "/proc/sys/net/ipv4/" + option;
  const int file = require(open(path.c_str(), O_WRONLY | O_CLOEXEC), path);
  require(static_cast<int>(write(file, value.data(), value.size())), path);
  close(file);
}

int open_tap() {
  const int tap = require(open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), "/dev/net/tun");
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::strcpy(request.ifr_name, "tap0");
  require(ioctl(tap, TUNSETIFF, &request), "a TAP device");
  return tap;
}

/// Makes a namespace, which this process enters, with its device. The last byte of addresses is the number.
Host make_host(int number) {
  require(unshare(CLONE_NEWNET), "a network namespace");
  const Host host{open_tap(), require(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), "/proc/self/ns/net")};
  const auto text = std::to_string(number);
  const auto set_up =
      "ip link set lo up && ip link set tap0 address 02:00:00:00:00:" + std::string(number < 16 ? "0" : "") +
      "0123456789abcdef"[number % 16] + " mtu " + std::to_string(kMtu) +
      " txqueuelen 2000 up && ip address add 10.78.0." + text + "/24 dev tap0";
  if (std::system(set_up.c_str()) != 0) fail("setting up host " + text);
  configure("tcp_rmem", "4096 4194304 8388608");  // no window should close: what waits, waits in the network
  configure("tcp_wmem", "4096 4194304 8388608");
  configure("tcp_slow_start_after_idle", "0");
  configure("tcp_congestion_control", "reno");  // others, such as BBR, send at a pace of their own
  return host;
}

void receive(Host& from, std::size_t n_hosts) {
  unsigned char frame[kLargestFrame];
  for (int burst = 0; burst < 32; ++burst) {
    const auto size = read(from.tap, frame, sizeof frame);
    if (size <= 0) return;
    const bool to_all = frame[0] & 1;
    const auto to = to_all ? n_hosts : std::size_t{frame[5]} - 1;
    if (to <= n_hosts) from.leaving[to].push_back({Clock::now(), 0, {frame, frame + size}});
  }
}

/// Sends a frame on its way to a receiver's link, where its last byte will be at its time.
void send(Host& to, const Frame& frame) {
  if (to.coming.size() + to.waiting.size() >= kMostWaiting) return;  // full: TCP sends it again
  to.coming.push(frame);
}

/// Frames for different receivers take turns on their sender's link, as Linux' fair queues let them.
void depart(const Network& network, std::vector<Host>& hosts, Host& from, Time now) {
  static std::uint64_t number = 0;
  for (std::size_t tried = 0; tried < from.leaving.size() && from.up_free <= now;) {
    const auto to = from.turn++ % from.leaving.size();
    auto& line = from.leaving[to];
    ++tried;
    if (line.empty()) continue;
    auto frame = std::move(line.front());
    line.pop_front();
    from.up_free = std::max(from.up_free, frame.due) + network.time_of(frame.bytes.size());
    frame.due = from.up_free + network.latency;
    frame.number = number++;
    for (std::size_t i = 0; i < hosts.size(); ++i)
      if (i == to || (to == hosts.size() && &hosts[i] != &from)) send(hosts[i], frame);
    tried = 0;
  }
}

/// Frames take the receiver's link in the order in which they come to it, whoever sends them.
void line_up(const Network& network, Host& host, Time now) {
  while (!host.coming.empty() && host.coming.top().due <= now) {
    auto frame = host.coming.top();
    host.coming.pop();
    host.down_free = std::max(host.down_free + network.time_of(frame.bytes.size()), frame.due);
    frame.due = host.down_free;
    host.waiting.push_back(std::move(frame));
  }
}

void deliver(Host& host, Time now) {
  while (!host.waiting.empty() && host.waiting.front().due <= now) {
    const auto& bytes = host.waiting.front().bytes;
    if (write(host.tap, bytes.data(), bytes.size()) < 0 && errno != EAGAIN) fail("a frame to its host");
    host.waiting.pop_front();
  }
}

bool has_leaving(const Host& host) {
  return std::ranges::any_of(host.leaving, [](const auto& line) { return !line.empty(); });
}

void forward(const Network& network, std::vector<Host>& hosts) {
  std::vector<pollfd> events;
  for (const auto& host : hosts) events.push_back({host.tap, POLLIN, 0});
  events.push_back({STDIN_FILENO, POLLIN, 0});
  while (events.back().revents == 0) {
    auto next = Clock::now() + std::chrono::seconds(1);
    for (auto& host : hosts) depart(network, hosts, host, Clock::now());
    for (auto& host : hosts) {
      const auto now = Clock::now();
      line_up(network, host, now);
      deliver(host, now);
      if (has_leaving(host)) next = std::min(next, host.up_free);
      if (!host.coming.empty()) next = std::min(next, host.coming.top().due);
      if (!host.waiting.empty()) next = std::min(next, host.waiting.front().due);
    }
    const auto wait_ns = std::max<std::int64_t>(0, std::chrono::nanoseconds(next - Clock::now()).count());
    const timespec limit{wait_ns / 1'000'000'000, wait_ns % 1'000'000'000};
    if (ppoll(events.data(), events.size(), &limit, nullptr) < 0 && errno != EINTR) fail("waiting");
    for (std::size_t i = 0; i < hosts.size(); ++i)
      if (events[i].revents & POLLIN) receive(hosts[i], hosts.size());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "switch HOSTS LATENCY_US MBIT_PER_S\n"), 2;
  const int n_hosts = std::clamp(std::atoi(argv[1]), 1, 15);
  const Network network{std::chrono::duration_cast<Clock::duration>(Seconds(std::atof(argv[2]) * 1e-6)),
                        std::atof(argv[3]) * 1e6 / 8};
  become_first_process();
  std::vector<Host> hosts;
  std::string found = outer_process_id();
  for (int number = 1; number <= n_hosts; ++number) {
    hosts.push_back(make_host(number));
    hosts.back().leaving.resize(static_cast<std::size_t>(n_hosts) + 1);
    found += ":" + std::to_string(hosts.back().network);
  }
  std::signal(SIGCHLD, SIG_IGN);                    // whom the hosts' processes leave behind
  const sched_param priority{.sched_priority = 1};  // latencies should not wait for a core
  if (sched_setscheduler(0, SCHED_RR, &priority) < 0)
    std::fprintf(stderr, "switch: no priority over others\n");
  std::printf("%s\n", found.c_str());
  std::fflush(stdout);
  forward(network, hosts);
}
