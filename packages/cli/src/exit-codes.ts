/** What a command's exit code says; documented in the README, and stable. */
export const exitCodes = {
  done: 0,
  /** The service refused the request, or something failed. */
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
  /** A manifest has errors. */
  invalid: 3,
  /** No credential, or one that may not do this. */
  notAllowed: 4,
  notFound: 5,
  /** The service does not answer. */
  unreachable: 6,
  /** The provider does not answer, or not as its API does. */
  providerUnreachable: 7,
  /** Ended by Ctrl-C, or the person answered no. */
  cancelled: 130,
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
