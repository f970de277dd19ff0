/** A program that people sign in with. All are public: they have no secret. */
export interface AgentClient {
  /** The id of a registration, or the address of a document. */
  id: string
  name: string
  redirectUris: readonly string[]
}
