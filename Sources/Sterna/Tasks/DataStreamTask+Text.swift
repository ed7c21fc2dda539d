extension DataStreamTask {
    /// The body's text as it arrives: UTF-8 with invalid bytes replaced, in pieces that split no character's encoding.
    public var strings: some AsyncSequence<String, any Error> & Sendable { StringStream(task: self) }

    /// The body of a ``DataStreamTask`` as pieces of text.
    struct StringStream: AsyncSequence, Sendable {
        typealias Element = String
        let task: DataStreamTask

        func makeAsyncIterator() -> Iterator { Iterator(bytes: ByteStream(task: task).makeAsyncIterator()) }

        /// Reads the body piece by piece.
        struct Iterator: AsyncIteratorProtocol {
            private var bytes: ByteStream.Iterator
            private var splitter = TextSplitter()
            private var isOver = false

            init(bytes: ByteStream.Iterator) { self.bytes = bytes }

            /// Returns the next text, never empty; nil at the end. Throws the task's error.
            mutating func next() async throws -> String? {
                while !isOver {
                    if let more = try await bytes.next() {
                        if let text = splitter.add(more) { return text }
                    } else {
                        isOver = true
                    }
                }
                return splitter.last()
            }
        }
    }
}
