#if os(Linux)
import Testing

@testable import SternaImages
@testable import SternaTestSupport

@Suite("The kernel's files about memory") struct MemoryFilesTests {
    @Test("Control groups of both versions are read, and other lines are ignored")
    func groups() {
        expectEqual(MemoryFiles.groups("0::/user.slice/a:b\n"), [.v2: "/user.slice/a:b"])
        expectEqual(
            MemoryFiles.groups("5:devices:/\n4:cpu,memory:/docker/1f\n1:name=systemd:/x\n0::/\n"),
            [.v1: "/docker/1f", .v2: "/"])
        expectEqual(MemoryFiles.groups("4:memoryx:/a\n0:memory\nnonsense\n0::relative\n::\n"), [:])
    }

    @Test("The ancestors of a group end at the root of the mount")
    func ancestors() {
        expectEqual(MemoryFiles.ancestors("/a/b"), ["/a/b", "/a", "/"])
        expectEqual(MemoryFiles.ancestors("/"), ["/"])
        expectEqual(MemoryFiles.ancestors("/../../other"), ["/"])
        expectEqual(MemoryFiles.ancestors(String(repeating: "/a", count: 1_000)).count, 65)
    }

    @Test("Numbers are read, and the values that mean no limit are nil")
    func numbers() {
        #expect(MemoryFiles.number("4096\n") == 4_096 && MemoryFiles.number("0") == 0)
        for text in ["max\n", "9223372036854771712\n", "", "-1", "1 2", "99999999999999999999"] {
            expectNil(MemoryFiles.number(text), "\(text)")
        }
        let statistics = "anon 10\ninactive_file 20\nfile 30\ntotal_inactive_file 40\n"
        expectEqual(MemoryFiles.number(named: "inactive_file", in: statistics), 20)
        expectEqual(MemoryFiles.number(named: "total_inactive_file", in: statistics), 40)
        expectNil(MemoryFiles.number(named: "inactive", in: statistics))
        let machine =
            "MemTotal:       24683656 kB\nMemFree: 1 kB\nMemAvailable:   \t5 kB\nHuge: 18446744073709551615 kB\nNone:\n"
        expectEqual(MemoryFiles.number(named: "MemTotal", in: machine), 24_683_656 << 10)
        expectEqual(MemoryFiles.number(named: "MemAvailable", in: machine), 5_120)
        #expect(
            MemoryFiles.number(named: "Huge", in: machine) == nil
                && MemoryFiles.number(named: "None", in: machine) == nil)
    }

    @Test(
        "93% of a limit is a warning, and 98% is critical",
        arguments: [
            (0, 100, nil), (92, 100, nil), (93, 100, .warning), (97, 100, .warning), (98, 100, .critical),
            (500, 100, .critical),
            (5, 0, nil), (UInt64.max, .max, .critical), (.max / 100 * 93, .max, .warning), (.max / 2, .max, nil),
        ] as [(UInt64, UInt64, MemoryPressure.Level?)])
    func levels(_ used: UInt64, _ limit: UInt64, _ level: MemoryPressure.Level?) {
        expectEqual(MemoryUse(used: used, limit: limit).level, level)
    }
}
#endif
