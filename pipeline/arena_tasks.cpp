// SPDX-License-Identifier: MIT
// Provides tasks in the arena of a session.
#include "pipeline/arena_tasks.hpp"

#include <utility>

namespace gannet::pipeline {

ArenaTasks::ArenaTasks(tbb::task_arena& arena, int threads, Tracer& tracer, const std::string& name)
    : arena_(arena), threads_(threads), tracer_(tracer), name_(name) {}

ArenaTasks::~ArenaTasks() noexcept {
    arena_.execute([this] { group_.wait(); });
}

unsigned ArenaTasks::threads() const { return static_cast<unsigned>(threads_); }

void ArenaTasks::submit(std::function<void()> task) { arena_.enqueue(group_.defer(std::move(task))); }

void ArenaTasks::run(const std::function<void()>& work) {
    // The stage is made when it is first used, so that jobs without reads do not report it.
    const Span span(tracer_, tracer_.stage(name_), 0);
    work();
}

}  // namespace gannet::pipeline
