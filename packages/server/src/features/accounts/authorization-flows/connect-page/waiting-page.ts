/** The page that a browser goes back to from a provider. */
export interface WaitingPage {
  sessionId: string
  /** Of its link. */
  token: string
}
