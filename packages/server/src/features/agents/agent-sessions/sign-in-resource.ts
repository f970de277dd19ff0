import { type Static, Type } from 'typebox'
import { audited, Enum, named, secret, Timestamp } from '../../../kernel/http/index.ts'
import { isDocumentUrl } from './client-document.ts'
import { redirectTarget } from './redirect-uri.ts'
import type { SignInRow } from './sign-in-store.ts'

const text = (description: string) => Type.String({ description })

export const AgentSignIn = named(
  'AgentSignIn',
  Type.Object(
    {
      id: text('Id of the sign-in.'),
      status: Enum(['waiting', 'completed', 'refused', 'granted', 'ended'], {
        description:
          '`waiting`: for your page. `completed` or `refused`: by your page, and the browser has not returned. `granted`: the client has a code. `ended`: the client has exchanged it, or knows of the refusal.',
      }),
      clientName: text('What the client calls itself. Anybody can choose this name: show `redirectHost`, too.'),
      clientId: text('Id of the registration, or address of the metadata document of the client.'),
      clientHost: Type.Optional(text('Host of the metadata document, which vouches for the name.')),
      redirectUri: text('Where the browser goes at the end.'),
      redirectHost: text('Its host, or the scheme of a program. Show it to the user.'),
      isLocal: Type.Boolean({ description: 'Whether that is a program on the computer of the user.' }),
      createTime: Timestamp,
      expireTime: { ...Timestamp, description: 'Until when you can complete it.' },
    },
    { description: 'A user who is signing in to the MCP server with a client.' },
  ),
)

export const AgentSignInDecision = named(
  'AgentSignInDecision',
  Type.Object(
    {
      id: audited(text('Id of the sign-in.')),
      redirectUrl: secret(text('Where your page sends the browser. It works once, in the browser that began.')),
    },
    { description: 'A sign-in that your page completed or refused.' },
  ),
)

export function signInResource(row: SignInRow): Static<typeof AgentSignIn> {
  const { host, isLocal } = redirectTarget(row.redirect_uri)
  return {
    id: row.id,
    status: row.status,
    clientName: row.client_name,
    clientId: row.client_id,
    ...(isDocumentUrl(row.client_id) && { clientHost: new URL(row.client_id).host }),
    redirectUri: row.redirect_uri,
    redirectHost: host,
    isLocal,
    createTime: row.create_time,
    expireTime: row.expire_time,
  }
}
