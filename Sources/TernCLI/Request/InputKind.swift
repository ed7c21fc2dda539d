import SternaPlatform

/// What stands behind a descriptor that could be read.
///
/// Only a pipe or a file counts: a terminal, a socket or `/dev/null` is what a shell, a service manager or a test
/// leaves there unasked.
struct InputKind: Hashable, Sendable {
    /// How many bytes are left of a file; nil for a pipe.
    var rest: Int64?

    /// The kind of a pipe, or of a file that is not at its end; nil for anything else.
    static func of(_ number: CInt) -> InputKind? {
        guard isatty(number) == 0, !isSocket(number) else { return nil }
        let position = lseek(number, 0, SEEK_CUR)
        guard position >= 0 else { return errno == ESPIPE ? InputKind(rest: nil) : nil }
        // A device such as /dev/null can be sought in, and has no end to go to.
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
