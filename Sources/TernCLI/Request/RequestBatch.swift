import ArgumentParser
import Sterna

/// Runs the requests of a plan.
struct RequestBatch: Sendable {
    let plan: RequestPlan

    /// Returns the exit status: success if all requests succeeded, else that of the first one that failed. Prints the errors of
    /// several requests, and throws that of a single one.
    func run() async throws -> Int32 {
        guard let recording = plan.recording else { return try await send() }
        return try await recording.run { try await send() }
    }

    private func send() async throws -> Int32 {
        let lines = plan.commands
        if let only = lines.first, lines.count == 1 {
            try await plan.run(only)
            return ExitStatus.success
        }
        // A wrong command line is an error before anything is sent. Parsing all of 100000 lines would take minutes.
        var wantsInput = false
        for index in plan.firsts {
            if try plan.wantsInput(lines[index]), !plan.ignoresInput { wantsInput = true }
        }
        if wantsInput {
            try await StandardInput.refuseContent(
                because: "Standard input can be the body of one request only, and there are \(lines.count) here; write "
                    + "--data-binary @FILE to send a file with each, or --ignore-stdin to send none.")
        }
        let statuses = await withTaskGroup(of: (Int, Int32).self) { group in
            var statuses = [Int32](repeating: ExitStatus.success, count: lines.count)
            for (index, line) in lines.enumerated() {
                if index >= plan.jobs, let (done, status) = await group.next() {
                    statuses[done] = status
                    if plan.failsEarly, status != ExitStatus.success { break }
                }
                if Task.isCancelled { break }
                group.addTask { (index, await status(of: line)) }
            }
            for await (done, status) in group { statuses[done] = status }
            return statuses
        }
        if Task.isCancelled { return ExitStatus.interrupted }
        return statuses.first { $0 != ExitStatus.success } ?? ExitStatus.success
    }

    private func status(of line: [String]) async -> Int32 {
        do {
            try await plan.run(line)
            return ExitStatus.success
        } catch {
            return Tern.report(error)
        }
    }
}
