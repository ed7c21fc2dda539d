import HTTPTypes
import SternaCore

/// Resolves the URLs that servers name for uploads.
enum UploadLocation {
    /// The maximum length of an upload's URL, in bytes.
    static let longest = 8_192

    /// Returns the URL of a Location field, relative to the URL of the response; nil without the field.
    ///
    /// It may have another origin, to which no credentials are sent. Its user information is dropped, since a server must not
    /// choose credentials. Throws a fault for a URL that cannot be used, and for one that gives up encryption.
    static func url(_ fields: FieldSection, relativeTo base: HTTPURL) throws(UploadFault) -> HTTPURL? {
        let lines = fields.references(.location)
        guard let first = lines.first else { return nil }
        guard lines.allSatisfy({ $0.utf8.elementsEqual(first.utf8) }) else { throw .locationsDiffer }
        guard !first.isEmpty, first.utf8.count <= longest,
            let found = try? HTTPURL(withHost: first, relativeTo: base.removingUserinfo()),
            found.scheme == .http || found.scheme == .https
        else { throw .locationUnusable }
        guard found.scheme.isSecure || !base.scheme.isSecure else { throw .locationInsecure }
        let url = found.removingUserinfo().replacingFragment(nil)
        guard url.href.utf8.count <= longest else { throw .locationUnusable }
        return url
    }
}
