import SternaPlatform

/// What a reader did with an input.
public enum MutationOutcome: Sendable {
    /// It read the input, which joins the inputs that mutations begin with.
    case accepted
    /// It refused the input with an error.
    case refused
}

/// A rule that an input broke, such as a round trip that changes the value.
public struct MutationFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

/// A reader of foreign bytes that is fed mutated inputs in a child process.
///
/// The child writes each input into a file that both processes share, so that the parent knows the one that ended it:
///
///     static let reader = MutatedReader("JSON", seeds: [#"{"a":1e5}"#], tokens: ["[", "{"]) { bytes in
///         (try? JSON(parsing: bytes)) == nil ? .refused : .accepted
///     }
///
///     @Test func survives() async {
///         let report = await Self.reader.supervise {
///             await #expect(processExitsWith: .success) { await JSONMutationTests.reader.run() }
///         }
///         #expect(report.failure == nil, "\(report)")
///     }
public struct MutatedReader: Sendable {
    /// How the reader is called.
    enum Execution: Sendable {
        /// On a thread with a small stack.
        case onThread(@Sendable ([UInt8]) throws -> MutationOutcome)
        case asTask(@Sendable ([UInt8]) async throws -> MutationOutcome)
    }

    let name: String
    let seeds: [[UInt8]]
    let tokens: [[UInt8]]
    let acceptsSeeds: Bool
    let execution: Execution

    /// Makes a reader that is called on a thread with a small stack, so that deep recursion is found.
    ///
    /// - Parameters:
    ///   - name: a file name that no other reader has.
    ///   - seeds: valid inputs. The run fails where one is refused, unless `acceptsSeeds` is false.
    ///   - tokens: pieces of the format's structure.
    ///   - execute: reads one input. What it throws fails the run.
    public init(
        _ name: String, seeds: [[UInt8]], tokens: [[UInt8]] = [], acceptsSeeds: Bool = true,
        execute: @escaping @Sendable ([UInt8]) throws -> MutationOutcome
    ) {
        self.init(name, seeds, tokens, acceptsSeeds, .onThread(execute))
    }

    /// Makes a reader of text, as ``init(_:seeds:tokens:acceptsSeeds:execute:)-([UInt8],_,_,_,_)`` does.
    public init(
        _ name: String, seeds: [String], tokens: [String] = [], acceptsSeeds: Bool = true,
        execute: @escaping @Sendable ([UInt8]) throws -> MutationOutcome
    ) {
        self.init(name, seeds.map { Array($0.utf8) }, tokens.map { Array($0.utf8) }, acceptsSeeds, .onThread(execute))
    }

    /// Makes a reader that is called by a task.
    public init(
        _ name: String, seeds: [[UInt8]], tokens: [[UInt8]] = [], acceptsSeeds: Bool = true,
        asynchronously execute: @escaping @Sendable ([UInt8]) async throws -> MutationOutcome
    ) {
        self.init(name, seeds, tokens, acceptsSeeds, .asTask(execute))
    }

    private init(
        _ name: String, _ seeds: [[UInt8]], _ tokens: [[UInt8]], _ acceptsSeeds: Bool, _ execution: Execution
    ) {
        self.name = name
        self.seeds = seeds
        self.tokens = tokens
        self.acceptsSeeds = acceptsSeeds
        self.execution = execution
    }

    // MARK: In the parent

    /// Runs a child, one at a time in this process, and tells what it did; prints the seed and the figures.
    public func supervise(_ child: () async -> Void) async -> MutationReport {
        await MutationTurn.shared.begin()
        let path = MutationRecord.path(name, parent: getpid())
        guard let record = MutationRecord(path: path) else {
            await MutationTurn.shared.end()
            return MutationReport(name: name, failure: "The file \(path) cannot be made.")
        }
        record.seed = MutationSettings.seed
        await child()
        await MutationTurn.shared.end()
        let report = MutationReport(record, name: name, path: path)
        print(report)
        return report
    }

    // MARK: In the child

    /// Feeds the reader mutated inputs until its time is over. Ends the process at the first failure.
    public func run() async {
        guard let record = MutationRecord(path: MutationRecord.path(name, parent: getppid())) else {
            exit(EXIT_FAILURE)
        }
        MutationSettings.prepareChild(errorsAt: MutationRecord.path(name, parent: getppid()) + ".stderr")
        var run = MutationRun(self, record)
        MutationWatchdog.begin(record)
        switch execution {
        case .onThread(let execute):
            SmallStack.run {
                run.begin()
                while let input = run.next() {
                    do {
                        run.end(try execute(input), input)
                    } catch {
                        run.fail("\(error)")
                    }
                }
            }
        case .asTask(let execute):
            run.begin()
            while let input = run.next() {
                do {
                    run.end(try await execute(input), input)
                } catch {
                    run.fail("\(error)")
                }
            }
        }
        record.state = .done
    }
}
