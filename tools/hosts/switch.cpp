// A switch between emulated hosts: network namespaces, each with a TAP device that this process reads and
// writes. Every frame is delayed by the bandwidth of the links of its sender and its receiver and by the
// latency between them. The link of a sender serves its receivers in round-robin order, the link of a
// receiver in order of arrival.
//
//   switch HOSTS LATENCY_US MBIT_PER_S      as root
//
// Host i is 10.78.0.i on tap0. Prints its process id and the file descriptors of the namespaces, separated by
// colons, and forwards until its standard input closes. Nothing outlives the process: when it ends, the
// kernel ends all processes of the hosts, then the namespaces and devices.

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

constexpr std::size_t kLargestFrame = 9018, kMaxQueued = 8192;
constexpr int kMtu = 9000;

[[noreturn]] void fail(const std::string& context) {
  std::fprintf(stderr, "switch: %s: %s\n", context.c_str(), std::strerror(errno));
  std::exit(1);
}

int require(int status, const std::string& context) {
  if (status < 0) fail(context);
  return status;
}

struct Frame {
  Time due;  ///< time of arrival at the sender's link, then at the receiver's link, then at the receiver
  std::uint64_t number;
  std::vector<unsigned char> bytes;
  bool operator>(const Frame& other) const {
    return due != other.due ? due > other.due : number > other.number;
  }
};

struct Host {
  int tap, network;                           ///< file descriptors
  Time up_free{}, down_free{};                ///< when the links from and to the host are free
  std::vector<std::deque<Frame>> outgoing{};  ///< by receiver; the last queue is broadcast
  std::size_t turn = 0;                       ///< next queue in round-robin order
  /// Frames on the way to the host's link.
  std::priority_queue<Frame, std::vector<Frame>, std::greater<>> incoming{};
  std::deque<Frame> queued{};  ///< on the host's link or waiting for it, by time
};

struct Network {
  Clock::duration latency;
  double bytes_per_s;
  Clock::duration time_of(std::size_t bytes) const {
    return std::chrono::duration_cast<Clock::duration>(Seconds(static_cast<double>(bytes) / bytes_per_s));
  }
};

/// Continues as the first process of a process namespace; when it ends, the kernel ends all processes of the
/// hosts.
void become_first_process() {
  require(unshare(CLONE_NEWPID), "a process namespace");
  const auto child = require(fork(), "a process");
  if (child > 0) {
    int status = 0;
    waitpid(child, &status, 0);
    std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/// The id of this process outside the namespace, where /proc was mounted.
std::string outer_process_id() {
  char text[32]{};
  require(static_cast<int>(readlink("/proc/self", text, sizeof text - 1)), "/proc/self");
  return text;
}

/// Sets an IPv4 option of the current network namespace.
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

/// Creates and enters a network namespace with its device. The last byte of its addresses is `number`.
Host make_host(int number) {
  require(unshare(CLONE_NEWNET), "a network namespace");
  const Host host{open_tap(), require(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), "/proc/self/ns/net")};
  const auto text = std::to_string(number);
  const auto set_up =
      "ip link set lo up && ip link set tap0 address 02:00:00:00:00:" + std::string(number < 16 ? "0" : "") +
      "0123456789abcdef"[number % 16] + " mtu " + std::to_string(kMtu) +
      " txqueuelen 2000 up && ip address add 10.78.0." + text + "/24 dev tap0";
  if (std::system(set_up.c_str()) != 0) fail("setting up host " + text);
  configure("tcp_rmem", "4096 4194304 8388608");  // large windows, so that frames queue in the network
  configure("tcp_wmem", "4096 4194304 8388608");
  configure("tcp_slow_start_after_idle", "0");
  configure("tcp_congestion_control", "reno");  // others, such as BBR, pace their sending
  return host;
}

/// Reads frames that a host sends.
void receive(Host& from, std::size_t n_hosts) {
  unsigned char frame[kLargestFrame];
  for (int burst = 0; burst < 32; ++burst) {
    const auto size = read(from.tap, frame, sizeof frame);
    if (size <= 0) return;
    const bool to_all = frame[0] & 1;
    const auto to = to_all ? n_hosts : std::size_t{frame[5]} - 1;
    if (to <= n_hosts) from.outgoing[to].push_back({Clock::now(), 0, {frame, frame + size}});
  }
}

/// Sends a frame towards the link of a receiver, where its last byte arrives at `due`.
void send(Host& to, const Frame& frame) {
  if (to.incoming.size() + to.queued.size() >= kMaxQueued) return;  // queue full: dropped, TCP sends it again
  to.incoming.push(frame);
}

/// Puts frames on the link of the sender, round-robin over receivers, as the fair queues of Linux.
void start_frames(const Network& network, std::vector<Host>& hosts, Host& from, Time now) {
  static std::uint64_t number = 0;
  for (std::size_t n_empty = 0; n_empty < from.outgoing.size() && from.up_free <= now;) {
    const auto to = from.turn++ % from.outgoing.size();
    auto& queue = from.outgoing[to];
    ++n_empty;
    if (queue.empty()) continue;
    auto frame = std::move(queue.front());
    queue.pop_front();
    from.up_free = std::max(from.up_free, frame.due) + network.time_of(frame.bytes.size());
    frame.due = from.up_free + network.latency;
    frame.number = number++;
    for (std::size_t i = 0; i < hosts.size(); ++i)
      if (i == to || (to == hosts.size() && &hosts[i] != &from)) send(hosts[i], frame);
    n_empty = 0;
  }
}

/// Puts frames on the link of the receiver in order of arrival.
void queue_frames(const Network& network, Host& host, Time now) {
  while (!host.incoming.empty() && host.incoming.top().due <= now) {
    auto frame = host.incoming.top();
    host.incoming.pop();
    host.down_free = std::max(host.down_free + network.time_of(frame.bytes.size()), frame.due);
    frame.due = host.down_free;
    host.queued.push_back(std::move(frame));
  }
}

/// Passes frames that have arrived to their host.
void deliver(Host& host, Time now) {
  while (!host.queued.empty() && host.queued.front().due <= now) {
    const auto& bytes = host.queued.front().bytes;
    if (write(host.tap, bytes.data(), bytes.size()) < 0 && errno != EAGAIN) fail("a frame to its host");
    host.queued.pop_front();
  }
}

bool has_outgoing(const Host& host) {
  return std::ranges::any_of(host.outgoing, [](const auto& queue) { return !queue.empty(); });
}

/// Forwards frames until standard input closes.
void forward(const Network& network, std::vector<Host>& hosts) {
  std::vector<pollfd> events;
  for (const auto& host : hosts) events.push_back({host.tap, POLLIN, 0});
  events.push_back({STDIN_FILENO, POLLIN, 0});
  while (events.back().revents == 0) {
    auto next = Clock::now() + std::chrono::seconds(1);
    for (auto& host : hosts) start_frames(network, hosts, host, Clock::now());
    for (auto& host : hosts) {
      const auto now = Clock::now();
      queue_frames(network, host, now);
      deliver(host, now);
      if (has_outgoing(host)) next = std::min(next, host.up_free);
      if (!host.incoming.empty()) next = std::min(next, host.incoming.top().due);
      if (!host.queued.empty()) next = std::min(next, host.queued.front().due);
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
  std::string ids = outer_process_id();
  for (int number = 1; number <= n_hosts; ++number) {
    hosts.push_back(make_host(number));
    hosts.back().outgoing.resize(static_cast<std::size_t>(n_hosts) + 1);
    ids += ":" + std::to_string(hosts.back().network);
  }
  std::signal(SIGCHLD, SIG_IGN);                    // orphaned processes of the hosts
  const sched_param priority{.sched_priority = 1};  // so that latencies do not depend on other load
  if (sched_setscheduler(0, SCHED_RR, &priority) < 0) std::fprintf(stderr, "switch: no real-time priority\n");
  std::printf("%s\n", ids.c_str());
  std::fflush(stdout);
  forward(network, hosts);
}
