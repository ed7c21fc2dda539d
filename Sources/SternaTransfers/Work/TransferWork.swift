import HTTPTypes
import Sterna
import SternaCore

/// The work of a transfer, by its kind.
protocol TransferWork: Sendable {
    /// Makes an attempt, and returns the event with its outcome. Throws `SternaError`.
    ///
    /// - Parameters:
    ///   - began: called once before anything is sent, with the bytes kept from earlier attempts.
    ///   - progress: called with progress, also on event loops.
    ///   - waits: called with the reason when the attempt waits for the server.
    func attempt(
        began: @Sendable (Int64) async throws -> Void, progress: @escaping @Sendable (TransferProgress) -> Void,
        waits: @escaping @Sendable (TransferFailure) -> Void
    ) async throws -> TransferEvent

    /// Deletes the partial state of a cancelled transfer, locally and at the server.
    func abandon() async throws

    /// Has the server delete its state of a transfer that is about to fail for good, if nothing can be lost by it.
    func giveUp() async
}

/// The context of an attempt.
struct AttemptContext: Sendable {
    let details: TransferDescription
    let files: StoreFolder.Files
    let journal: TransferJournal
    var session: Session
    let sessions: WorkSessions
    let settings: TransferStoreSettings
    let sentSecrets = SentSecrets()

    /// The work for the transfer's kind.
    var work: any TransferWork {
        var context = self
        context.session = sessions.session(for: session)
        let secrets = details.secrets.compactMap(\.first)
        // A download passes its SentSecrets with its request.
        if details.kind != .download || !secrets.isEmpty {
            context.session = context.session.with { settings in
                // Redirects to another origin drop these fields, whatever their names.
                settings.auth.secretHeaders.formUnion(secrets)
                settings.options[SentSecretsKey.self] = sentSecrets
            }
        }
        return switch details.kind {
        case .download: DownloadWork(context)
        case .upload: UploadWork(context)
        }
    }

    /// Returns the header fields of a request, including secrets with their values. Throws `invalidRequest` for an unknown secret,
    /// and errors of the program's closure.
    func headers() async throws -> Headers {
        var lines = details.headers.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }
        for field in details.secrets where field.count == 2 {
            guard let value = try await settings.secret?(field[1]) else {
                throw SternaError(
                    .invalidRequest, phase: .prepare,
                    "The store has no value for the secret “\(FieldSyntax.printable(field[1]))” of the field \(field[0]). Set TransferStoreSettings.secret.",
                    underlying: MissingSecret())
            }
            lines.append((field[0], value))
        }
        return Headers(lines)
    }

    /// Writes an event into the journal. Throws `writeFailed`.
    func record(_ event: TransferEvent, syncs: Bool = true) async throws {
        try await BlockingWork.run { [journal] in
            try journal.append(event, syncs: syncs)
            // No later attempt or download resumes the partial file of a download that has failed for good.
            if case .ended = event, let part = journal.history.partialPath { AbandonedPart.remove(part) }
        }
    }
}

/// The store has no value for a secret; a later process may have it.
struct MissingSecret: Error {}

/// The store lacks the method of an upload; a later process may have it.
struct MissingMethod: Error {}

/// The file of an upload does not exist or cannot be read, for example while its volume is not mounted.
struct MissingSource: Error {}

/// The content of an upload has changed since the upload was added.
struct ChangedSource: Error {}
