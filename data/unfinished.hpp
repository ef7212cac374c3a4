// SPDX-License-Identifier: MIT
// Provides the list of files and folders that this process has made and that must not outlive it: partial
// files, locks and temporary folders, by their exact paths.
#pragma once

#include <mutex>
#include <string>

namespace gannet::data {

/// Creating such a file or folder and adding it here, and renaming or removing it and dropping it from here,
/// are done under this lock. So a signal finds each name that exists, and none that is another process's by
/// now.
[[nodiscard]] std::unique_lock<std::mutex> lock_unfinished();

/// Both need the lock.
void add_unfinished(const std::string& path);
void forget_unfinished(const std::string& path) noexcept;

/// Removes all of them (folders with what they hold), the newest first, and keeps the lock for ever: no other
/// is made, and none is renamed to its final name, before the process ends. For the thread that waits for
/// signals.
void remove_unfinished_for_ever() noexcept;

/// The same for a thread that may hold the lock itself, since it ends the process in the middle of whatever
/// it does: after a second without the lock nothing is removed.
void try_remove_unfinished_for_ever() noexcept;

}  // namespace gannet::data
