import SternaCore

extension Authorization {
    /// Returns the Authorization value for a URL's user information, by Basic authentication (RFC 7617).
    ///
    /// Throws `invalidURL` for user information that is not UTF-8, and `invalidHeader` for a user name with a colon.
    static func fieldValue(of userinfo: Userinfo) throws(SternaError) -> String {
        guard userinfo.isUTF8 else {
            throw SternaError(
                .invalidURL, phase: .prepare,
                "The user name or the password in the URL is not UTF-8, so it cannot be sent as credentials.")
        }
        let basic = Authorization.basic(userinfo.decodedUsername, userinfo.decodedPassword)
        return try Headers.field("Authorization", basic.fieldValue).value
    }
}
