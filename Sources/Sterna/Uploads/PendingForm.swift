import SternaCore
import SternaSerialization

/// A form whose parameters are encoded by the session that sends it.
final class PendingForm: Sendable {
    private let form: MultipartForm

    init(_ form: MultipartForm) { self.form = form }

    func body(by serializer: any RequestSerializer) throws(SternaError) -> Body? {
        try form.body(fallback: SessionHeaders.settings(of: serializer)?.encoder)
    }
}
