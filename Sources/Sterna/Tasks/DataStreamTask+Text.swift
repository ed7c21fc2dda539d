extension DataStreamTask {
    /// The body's text as it arrives: UTF-8 with invalid bytes replaced, in pieces that split no character's encoding.
    public var strings: StringStream { StringStream(task: self) }

    /// The body of a ``DataStreamTask`` as pieces of text.
    public struct StringStream: AsyncSequence, Sendable {
        public typealias Element = String
        let task: DataStreamTask

        public func makeAsyncIterator() -> Iterator { Iterator(bytes: task.bytes.makeAsyncIterator()) }

        /// Reads the body piece by piece.
        public struct Iterator: AsyncIteratorProtocol {
            private var bytes: ByteStream.Iterator
            private var splitter = TextSplitter()
            private var isOver = false

            init(bytes: ByteStream.Iterator) { self.bytes = bytes }

            /// Returns the next text, never empty; nil at the end. Throws the task's error.
            public mutating func next() async throws -> String? {
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
