/** A destination of a kind in a service, and the server that it sends to. */
export interface TestedDestination {
  id: string
  name: string
  /** The body of a message with a text that the kind takes, and the same text in each. */
  bodyOf(text: string): object
  /** Returns what arrived, as often as it did, in its order. */
  received(): Promise<{ id: string; body: string }[]>
  /** Makes the server unreachable. */
  down(): Promise<void>
  up(): Promise<void>
  /** From when it returns, keeps the answer to the next message back. `kept`: it does. */
  answerLate(): Promise<{ kept: Promise<void> }>
  /** The same, after the server has stored the message for good. */
  storeUnanswered(): Promise<{ kept: Promise<void> }>
  /** Answers what was kept back. */
  answer(): Promise<void>
  stop(): Promise<void>
}
