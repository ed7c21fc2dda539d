import HTTPTypes
import SternaCore

@testable import SternaTransfers

/// Values for the tables of the upload rules.
enum UploadScene {
    static let now: Int64 = 1_800_000_000

    static func url(_ text: String) throws -> HTTPURL { try HTTPURL(text) }

    static func plan(_ length: Int64 = 1_000) throws -> UploadPlan {
        UploadPlan(target: try HTTPURL("https://example.com/files"), length: length)
    }

    static func state(
        _ dialect: UploadDialect?, length: Int64 = 1_000, offset: Int64? = nil, isCurrent: Bool = true
    ) throws -> UploadState {
        var state = UploadState(try plan(length))
        state.dialect = dialect
        if let offset {
            state.url = try HTTPURL("https://example.com/files/1")
            (state.stage, state.isCurrent) = (.open, isCurrent)
            (state.offset, state.reached) = (offset, offset)
        }
        return state
    }

    static func reply(
        _ status: Int, _ fields: [(String, String)] = [], problem: UploadProblem? = nil,
        at url: String = "https://example.com/files/1"
    ) throws -> UploadReply {
        var section = HTTPFields()
        try Headers(fields).merge(into: &section)
        return UploadReply(
            status: status, fields: FieldSection(section), problem: problem, now: now, url: try HTTPURL(url))
    }

    static func ietf(_ number: Int) throws -> UploadDialect {
        guard let version = IETFVersion(number) else { throw SternaError(.invalidRequest, phase: .prepare, "") }
        return .ietf(version)
    }

    /// Describes an outcome in short, for tables.
    static func text(_ answer: UploadAnswer) -> String {
        switch answer {
        case .proceed(let state): "proceed \(text(state))"
        case .follow(let state, _): "follow \(text(state))"
        case .again(let state, let fault, let wait):
            "again \(text(state)), \(fault)" + (wait.map { " after \($0.components.seconds) s" } ?? "")
        case .startAnew(_, let fault): "anew, \(fault)"
        case .complete(let state): "complete \(state.offset)"
        case .fail(let fault): "fail \(fault)"
        }
    }

    private static func text(_ state: UploadState) -> String {
        var parts = ["\(state.offset)"]
        if state.isCurrent { parts.append("current") }
        if let url = state.url { parts.append(url.href) }
        if case .ietf(let version) = state.dialect, version != .preferred { parts.append("v\(version.number)") }
        if let most = state.largestAppend { parts.append("at most \(most)") }
        if let detour = state.detour { parts.append("by \(detour.href)") }
        if state.target.href != "https://example.com/files" { parts.append("to \(state.target.href)") }
        return parts.joined(separator: " ")
    }
}
