import Sterna
import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite struct ProgressBarTests {
    private static let states: [TransferProgress] = [
        TransferProgress(completed: 0, total: 1_200_000_000),
        TransferProgress(completed: 444_000_000, total: 1_200_000_000, rate: 48_000_000),
        TransferProgress(completed: 1_200_000_000, total: 1_200_000_000, rate: 999_000_000),
        TransferProgress(completed: 123_456, rate: 9_876),
        TransferProgress(completed: 5),
        TransferProgress(completed: 10, total: 5, rate: -1),
        TransferProgress(completed: .max, total: .max, rate: .infinity),
    ]

    @Test(arguments: [0, 1, 2, 5] + Array(10...200))
    func staysShorterThanTheTerminal(_ width: Int) {
        for state in Self.states {
            for label in ["", "download"] {
                let line = ProgressBar.render(state, label: label, width: width)
                #expect(line.count < max(1, width))
                #expect(width < 10 || !line.isEmpty)
            }
        }
    }

    @Test(arguments: [
        (80, "[========>                 ] 37% of 1.2 GB, 48 MB/s, 16 s left"),
        (46, "[==>      ] 37% of 1.2 GB, 48 MB/s, 16 s left"),
        (35, "37% of 1.2 GB, 48 MB/s, 16 s left"),
        (33, "[=>     ] 37% of 1.2 GB, 48 MB/s"),
        (30, "37% of 1.2 GB, 48 MB/s"),
        (16, "37%, 48 MB/s"),
        (5, "37%"),
    ])
    func saysLessInLessSpace(_ width: Int, _ expected: String) {
        expectEqual(ProgressBar.render(Self.states[1], width: width), expected)
    }

    @Test func growsFromEmptyToFull() {
        func bar(_ completed: Int64) -> Substring {
            ProgressBar.render(TransferProgress(completed: completed, total: 100), width: 30).prefix { $0 != "]" }
        }
        #expect(!bar(0).contains("="))
        expectEqual(bar(50).filter { $0 == "=" || $0 == ">" }.count, (bar(50).count - 1) / 2)
        #expect(!bar(100).contains(" "))
        #expect(!bar(100).contains(">"))
    }
}
