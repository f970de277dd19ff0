import { type Static, Type } from 'typebox'
import { named, secret, Timestamp } from '../../../kernel/http/index.ts'

/** What a sign-in answers. */
export const SessionTokens = named(
  'SessionTokens',
  Type.Object({
    accessToken: secret(Type.String({ description: 'Sent as `Authorization: Bearer`; a JWT.' })),
    expiresAt: Type.Unsafe<Date | string>({ ...Timestamp, description: 'When the access token expires.' }),
    refreshToken: secret(
      Type.String({
        description: 'Exchanged once for the next pair of tokens; using it a second time ends the session.',
      }),
    ),
    sessionExpiresAt: Type.Unsafe<Date | string>({
      ...Timestamp,
      description: 'When the session ends unless it is refreshed before.',
    }),
    builderId: Type.String({ description: 'Who is signed in.' }),
  }),
)
export type SessionTokens = Static<typeof SessionTokens>

/** What the console gets for the session of its browser. */
export const ConsoleToken = named(
  'ConsoleToken',
  Type.Object(
    {
      accessToken: secret(Type.String({ description: 'Sent as `Authorization: Bearer`; a JWT.' })),
      expiresAt: Type.Unsafe<Date | string>({ ...Timestamp, description: 'When the access token expires.' }),
      builderId: Type.String({ description: 'Who is signed in.' }),
      email: Type.String({ description: 'The email of the builder.' }),
    },
    { description: 'An access token of the console, for the session of the browser.' },
  ),
)

/** Longer than any password may be, so that a long one is refused like a wrong one; yet a limit. */
export const SubmittedPassword = secret(Type.String({ minLength: 1, maxLength: 1_000, description: 'The password.' }))

/** A token or code as it is handed in. */
export const SubmittedToken = (description: string) =>
  secret(Type.String({ minLength: 1, maxLength: 200, description }))

/** A password that somebody chooses. `passwordFault` says whether they can. */
export const NewPassword = secret(
  Type.String({
    minLength: 1,
    maxLength: 1_000,
    description: 'The new password: 12 to 200 characters, and not easy to guess.',
  }),
)
