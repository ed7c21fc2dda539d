import SternaPlatform

/// The kind of input behind a readable descriptor.
///
/// Only a pipe or a file counts. Shells, service managers and tests leave a terminal, a socket or `/dev/null` there by
/// default.
struct InputKind: Hashable, Sendable {
    /// The bytes left of a file; nil for a pipe.
    var rest: Int64?

    /// Returns the kind of a pipe, or of a file that is not at its end; nil for anything else.
    static func of(_ number: CInt) -> InputKind? {
        guard isatty(number) == 0, !isSocket(number) else { return nil }
        let position = lseek(number, 0, SEEK_CUR)
        guard position >= 0 else { return errno == ESPIPE ? InputKind(rest: nil) : nil }
        // A device such as /dev/null allows seeking, but has no end to seek to.
        let end = lseek(number, 0, SEEK_END)
        guard lseek(number, position, SEEK_SET) == position, end > position else { return nil }
        return InputKind(rest: Int64(end) - Int64(position))
    }

    private static func isSocket(_ number: CInt) -> Bool {
        var type: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &length) == 0
    }
}
