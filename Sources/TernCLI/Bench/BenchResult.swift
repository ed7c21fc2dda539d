import Sterna

/// The result of a measurement.
struct BenchResult: Sendable {
    var requests: Int
    var errors: Int
    var firstError: String?
    var bytes: Int64
    var wall: Double
    var cpu: Double
    /// In nanoseconds, in ascending order.
    var latencies: [Int64]

    init(tallies: [BenchLoad.Tally], used: Usage) {
        latencies = tallies.flatMap(\.latencies).sorted()
        requests = latencies.count
        errors = tallies.reduce(0) { $0 + $1.errors }
        firstError = tallies.compactMap(\.firstError).first
        bytes = tallies.reduce(0) { $0 + $1.bytes }
        wall = used.wall
        cpu = used.cpu
    }

    /// Returns the latency in microseconds that the given part of all requests did not exceed (nearest rank).
    func latency(_ part: Double) -> Double {
        guard !latencies.isEmpty else { return 0 }
        let rank = Int((part * Double(latencies.count)).rounded(.up))
        return Double(latencies[min(max(rank, 1), latencies.count) - 1]) / 1_000
    }

    var requestsPerSecond: Double { wall > 0 ? Double(requests) / wall : 0 }

    var megabytesPerSecond: Double { wall > 0 ? Double(bytes) / wall / 1e6 : 0 }

    var cpuPerRequest: Double { requests > 0 ? cpu * 1e6 / Double(requests) : 0 }

    var table: String {
        """
        requests      \(requests) in \(fixed(wall, 3)) s, \(errors) failed
        throughput    \(fixed(requestsPerSecond, 0)) requests/s, \(fixed(megabytesPerSecond, 1)) MB/s
        latency       p50 \(fixed(latency(0.5), 0)) us, p90 \(fixed(latency(0.9), 0)) us, p99 \(fixed(latency(0.99), 0)) us
        CPU           \(fixed(cpuPerRequest, 2)) us a request, \(fixed(cpu, 3)) s in all
        """
    }

    var json: JSON {
        [
            "requests": .number(JSON.Number(requests)),
            "errors": .number(JSON.Number(errors)),
            "seconds": .number(JSON.Number(rounded(wall, 6))),
            "requests_per_second": .number(JSON.Number(rounded(requestsPerSecond, 1))),
            "megabytes_per_second": .number(JSON.Number(rounded(megabytesPerSecond, 2))),
            "latency_us": [
                "p50": .number(JSON.Number(rounded(latency(0.5), 1))),
                "p90": .number(JSON.Number(rounded(latency(0.9), 1))),
                "p99": .number(JSON.Number(rounded(latency(0.99), 1))),
            ],
            "cpu_us_per_request": .number(JSON.Number(rounded(cpuPerRequest, 3))),
            "cpu_seconds": .number(JSON.Number(rounded(cpu, 6))),
        ]
    }

    private func rounded(_ value: Double, _ digits: Int) -> Double {
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        return (value * scale).rounded() / scale
    }

    private func fixed(_ value: Double, _ digits: Int) -> String {
        let text = "\(rounded(value, digits))"
        return digits == 0 ? String(text.prefix { $0 != "." }) : text
    }
}
