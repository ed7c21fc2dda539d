public import SternaCore
import SternaPlatform
import SternaSerialization

extension Body {
    static let propertyListMediaType = "application/x-plist"

    /// Makes a body of a property list as `application/x-plist`; throws `encodingFailed` for a value that the format cannot
    /// represent.
    public static func propertyList(
        _ value: PropertyList, format: PropertyList.Format = .xml
    ) throws(SternaError) -> Body {
        .bytes(try encodingErrors { try value.serialized(format) }, mediaType: propertyListMediaType)
    }

    /// Makes a body of an `Encodable` value as a property list of type `application/x-plist`; throws `encodingFailed` with the
    /// encoder's reason.
    public static func propertyList(
        _ value: some Encodable, format: PropertyList.Format = .xml
    ) throws(SternaError) -> Body {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format == .xml ? .xml : .binary
        do {
            return .bytes(try encoder.encode(value), mediaType: propertyListMediaType)
        } catch {
            throw SternaError(
                .encodingFailed, phase: .prepare, "The body cannot be encoded: \(CodingReason.text(error))",
                underlying: error)
        }
    }
}
