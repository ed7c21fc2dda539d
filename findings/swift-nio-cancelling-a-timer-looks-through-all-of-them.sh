#!/usr/bin/env bash
# Package: swift-nio 2.101.2 (NIOPosix). Needs swift; it takes minutes to build.
#
# An event loop keeps its scheduled tasks in a heap, so that adding one costs the logarithm of their number.
# Expected: taking one out (Scheduled.cancel) costs about the same, as in Netty, or only marks it.
# Seen: it looks through the whole heap. With 100,000 tasks far in the future, scheduling a task and cancelling it takes about a
#   hundred times as long as with 100 (153 us, 1.4 us).
# Why it matters: a client sets a timer for nearly everything it waits for, and cancels nearly all of them. Whatever leaves long
# timers behind (one for each origin that was ever asked, a deadline of days for each call) makes every later request of that event
# loop slower, and the work of N requests at once grows with the square of N. One timer for the earliest of many moments, which is moved
# only to an earlier one, keeps the heap small.
# Nothing was found about it; swift-nio-quic (its pull request 95) takes the cost of cancelling for the logarithm of their number.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/Sources/Timers"
cat >"$dir/Package.swift" <<'SWIFT'
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
    name: "timers", platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/apple/swift-nio", exact: "2.101.2")],
    targets: [
        .executableTarget(
            name: "Timers",
            dependencies: [.product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio")])
    ])
SWIFT
cat >"$dir/Sources/Timers/main.swift" <<'SWIFT'
import NIOCore
import NIOPosix

/// The time of scheduling and cancelling a task, in microseconds, on a loop with so many others.
func cost(among others: Int) throws -> Double {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.any()
    let time = try loop.submit { () -> Duration in
        for number in 0..<others { loop.scheduleTask(in: .hours(24) + .milliseconds(Int64(number))) {} }
        return ContinuousClock().measure {
            for _ in 0..<500 { loop.scheduleTask(in: .hours(48)) {}.cancel() }
        }
    }.wait()
    try group.syncShutdownGracefully()
    return Double(time.components.attoseconds) / 500e12 + Double(time.components.seconds) * 2_000
}

_ = try cost(among: 100)
let (few, many) = (try cost(among: 100), try cost(among: 100_000))
print("swift-nio 2.101.2: \(few) us among 100 tasks, \(many) us among 100,000")
precondition(many > 20 * few, "cancelling no longer depends on the number of other tasks")
SWIFT
swift build -c release --package-path "$dir" >"$dir/build.log" 2>&1 || { tail -20 "$dir/build.log"; exit 1; }
"$dir/.build/release/Timers"
