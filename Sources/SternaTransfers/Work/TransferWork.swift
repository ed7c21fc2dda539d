import HTTPTypes
import Sterna
import SternaCore

/// The kind of a transfer: what an attempt of it does.
protocol TransferWork: Sendable {
    /// Makes an attempt, and returns the event that says what has become of the transfer. Throws `SternaError`.
    ///
    /// - Parameters:
    ///   - began: called once before anything is sent, with the bytes that earlier attempts have left.
    ///   - progress: called with progress, also from event loops.
    ///   - waits: called with the reason when the attempt waits for the server.
    func attempt(
        began: @Sendable (Int64) async throws -> Void, progress: @escaping @Sendable (TransferProgress) -> Void,
        waits: @escaping @Sendable (TransferFailure) -> Void
    ) async throws -> TransferEvent

    /// Gives up what is there of a transfer that is cancelled, here and on the server.
    func abandon() async throws

    /// Gives up what the server keeps of a transfer that is about to fail for good, where nothing can be lost by it.
    func giveUp() async
}

/// What an attempt works with.
struct WorkPlace: Sendable {
    let details: TransferDescription
    let files: StoreFolder.Place
    let journal: TransferJournal
    var session: Session
    let sessions: WorkSessions
    let settings: TransferStoreSettings
    let sentSecrets = SentSecrets()

    /// The work of the transfer's kind.
    var work: any TransferWork {
        var place = self
        place.session = sessions.session(for: session)
        let secrets = details.secrets.compactMap(\.first)
        // A download names its SentSecrets with its request.
        if details.kind != .download || !secrets.isEmpty {
            place.session = place.session.with { settings in
                // Redirects to another origin leave them out, whatever their names look like.
                settings.secretHeaders.formUnion(secrets)
                settings.options[SentSecretsKey.self] = sentSecrets
            }
        }
        return switch details.kind {
        case .download: DownloadWork(place)
        case .upload: UploadWork(place)
        }
    }

    /// Returns the header fields of a request, with the values of those that are secrets. Throws `invalidRequest` for a secret that nobody
    /// knows, and what the program's closure throws.
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
            // No later attempt goes on with what a download that has failed for good leaves, and no later download.
            if case .ended = event, let part = journal.history.partialPath { AbandonedPart.remove(part) }
        }
    }
}

/// The store has no value for a secret, which a later program may know.
struct MissingSecret: Error {}

/// The store does not have the method of an upload, which a later program may have.
struct MissingMethod: Error {}

/// The file of an upload is not there or cannot be read, such as while its volume is not mounted.
struct MissingSource: Error {}

/// The content of an upload is no longer what it was when the upload was added.
struct ChangedSource: Error {}
