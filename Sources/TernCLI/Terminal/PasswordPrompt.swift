import SternaPlatform

/// Asks for a password at the controlling terminal, without echo.
enum PasswordPrompt {
    private static let longest = 4_096

    /// Returns the password; throws `UsageError` without a terminal, or for empty input.
    static func ask(_ question: String) throws -> String {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else {
            throw UsageError("The password is missing, and there is no terminal to ask for it; give --auth USER:PASS.")
        }
        defer { close(terminal) }
        var old = termios()
        guard tcgetattr(terminal, &old) == 0 else {
            throw UsageError("The terminal cannot be set up to ask for a password.")
        }
        let saved = old
        var silent = old
        silent.c_lflag &= ~tcflag_t(ECHO)
        let restoring = Cleanup.add {
            var saved = saved
            tcsetattr(terminal, TCSAFLUSH, &saved)
        }
        defer { Cleanup.run(restoring) }
        guard tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else {
            throw UsageError("The terminal cannot hide the password; give --auth USER:PASS.")
        }
        let screen = Descriptor(number: terminal, name: "the terminal")
        try screen.write(TerminalText.line(question))
        defer { screen.print("") }
        return try readLine(terminal)
    }

    private static func readLine(_ terminal: CInt) throws -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < longest {
            // Waits in short steps, so that a cancelled task can restore the terminal and stop.
            try Task.checkCancellation()
            var wish = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            if poll(&wish, 1, 100) <= 0 { continue }
            let count = read(terminal, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else {
                if count == 1 || !line.isEmpty { return String(decoding: line, as: UTF8.self) }
                break
            }
            line.append(byte)
        }
        throw UsageError("No password was entered.")
    }
}
