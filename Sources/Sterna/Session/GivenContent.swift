import SternaCore
import SternaSerialization

/// A value that a request sends as JSON or as a form, whatever the session's request serializer.
///
/// It is encoded when the caller sets it, and written when a session sends it, by the encoder of the request's serializer. An
/// encoding error fails the request.
struct GivenContent: Sendable {
    enum Format: Sendable {
        case json, form
    }

    private enum Value: Sendable {
        case tree(JSON)
        case encoded(omittingNils: ParameterValue, keepingNils: ParameterValue)
        case failed(SternaError)
    }

    private let format: Format
    private let value: Value

    init(_ parameters: Parameters, as format: Format) {
        self.format = format
        value = .encoded(omittingNils: .dictionary(parameters), keepingNils: .dictionary(parameters))
    }

    init(_ value: some Encodable, as format: Format) {
        self.format = format
        if format == .json, let tree = value as? JSON {
            self.value = .tree(tree)
            return
        }
        do throws(SternaError) {
            self.value = .encoded(
                omittingNils: try encodingErrors { try ParameterValue(encoding: value) },
                keepingNils: try encodingErrors { try ParameterValue(encoding: value, keepingNils: true) })
        } catch {
            self.value = .failed(error)
        }
    }

    /// Returns the body; throws `encodingFailed` for a value that the format cannot represent.
    func body(by serializer: any RequestSerializer, for request: Request) throws(SternaError) -> Body {
        let settings = SessionHeaders.settings(of: serializer) ?? SerializerSettings()
        let options = (serializer as? JSONRequestSerializer)?.options ?? []
        let encoded: ParameterValue
        switch value {
        case .tree(let tree): return try settings.jsonBody(options) { tree }
        case .encoded(let omitting, let keeping): encoded = settings.encoder.keepsNilMembers ? keeping : omitting
        case .failed(let error): throw error
        }
        switch format {
        case .json: return try settings.jsonBody(options) { try JSON(encoded, data: settings.encoder.data) }
        case .form:
            guard case .dictionary(let parameters) = encoded else {
                throw SternaError(
                    .encodingFailed, phase: .prepare,
                    "The value cannot be sent as a form: it does not encode to a dictionary. Send it as `json:`.")
            }
            return try settings.formBody(parameters, for: request)
        }
    }
}
