import type { Client, Input } from '@mortise/client'
import type { Customer } from './customers.ts'

type NewSession = Input<'createConnectSession'>['body']

export interface ConnectSession {
  /** For the components. It may act for one customer, for half an hour. */
  token: string
  /** The same as a page of Mortise: for a link, a window or a frame. */
  url: string
}

const purposes = ['connect', 'install', 'manage'] as const

/**
 * Creates a connect session for a customer. The customer comes from Harbor's own sign-in and never from the request:
 * whoever holds a token acts for the group in it. The API key stays on this server.
 */
export async function createConnectSession(
  mortise: Client,
  { id, name, person }: Customer,
  asked: Record<string, unknown>,
): Promise<ConnectSession> {
  const purpose = purposes.find((one) => one === asked['purpose']) ?? 'manage'
  const body: NewSession = {
    groupRef: id,
    groupName: name,
    consumerRef: person.id,
    consumerName: person.name,
    purpose,
    ...(purpose === 'connect' && { provider: 'sampleCrm' }),
    ...(purpose === 'install' && { integration: 'sampleCrm' }),
    ...(typeof asked['redirectUrl'] === 'string' && { redirectUrl: asked['redirectUrl'] }),
    ...(typeof asked['language'] === 'string' && { language: asked['language'] }),
  }
  const { token, url } = await mortise.createConnectSession({ body })
  return { token, url }
}
