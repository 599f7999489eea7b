#include "halcyon/atmosphere/weave.hpp"

#include <algorithm>

namespace halcyon::atmosphere {

namespace {

/// Runs in tasks of at most so many items.
std::vector<Task> cut(int sweep, const Runs& runs, LocalIndex most) {
  std::vector<Task> tasks;
  LocalIndex room = 0;
  for (auto [begin, end] : runs) {
    while (begin < end) {
      if (room == 0) tasks.push_back({sweep, {}}), room = most;
      const LocalIndex n = std::min(room, end - begin);
      tasks.back().runs.push_back({begin, begin + n});
      begin += n, room -= n;
    }
  }
  return tasks;
}

class Weaver {
 public:
  Weaver(std::span<const Runs> sweeps, std::span<const LocalIndex> items_of_task,
         std::span<const std::vector<Need>> needs)
      : needs_(needs), tasks_of_(sweeps.size()) {
    for (std::size_t sweep = 0; sweep < sweeps.size(); ++sweep) {
      for (auto& task : cut(static_cast<int>(sweep), sweeps[sweep], items_of_task[sweep])) {
        note(task, static_cast<LocalIndex>(tasks_.size()));
        sweep_of_.push_back(task.sweep);
        tasks_.push_back(std::move(task));
      }
    }
    is_done_.assign(tasks_.size(), 0);
  }

  std::vector<Task> order() {
    const auto n = static_cast<LocalIndex>(tasks_.size());
    for (LocalIndex task = 0; task < n; ++task)
      if (sweep_of_[task] + 1 == std::ssize(tasks_of_)) call(task);
    for (LocalIndex task = 0; task < n; ++task) call(task);
    return std::move(ordered_);
  }

 private:
  void note(const Task& task, LocalIndex number) {
    auto& known = tasks_of_[task.sweep];
    for (const auto [begin, end] : task.runs) {
      if (static_cast<LocalIndex>(known.size()) < end) known.resize(end, kNone);
      std::fill(known.begin() + begin, known.begin() + end, number);
    }
  }

  void call(LocalIndex number) {
    if (is_done_[number]) return;
    is_done_[number] = 1;
    for (const auto [begin, end] : tasks_[number].runs)
      for (LocalIndex item = begin; item < end; ++item)
        for (const auto& [sweep, beside] : needs_[sweep_of_[number]])
          for (const auto other : beside[item]) call_for(tasks_of_[sweep], other);
    ordered_.push_back(std::move(tasks_[number]));
  }

  void call_for(const std::vector<LocalIndex>& known, LocalIndex item) {
    if (item != kNone && item < std::ssize(known) && known[item] != kNone) call(known[item]);
  }

  std::span<const std::vector<Need>> needs_;
  std::vector<std::vector<LocalIndex>> tasks_of_;  ///< by sweep and item; kNone where it has none
  std::vector<Task> tasks_, ordered_;
  std::vector<int> sweep_of_;
  Flags is_done_;
};

}  // namespace

std::vector<Task> woven(std::span<const Runs> sweeps, std::span<const LocalIndex> items_of_task,
                        std::span<const std::vector<Need>> needs) {
  return Weaver(sweeps, items_of_task, needs).order();
}

}  // namespace halcyon::atmosphere
