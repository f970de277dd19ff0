import type { Catalogue } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { type Confinement, Forbidden, InvalidInput, type Issue } from '../../../../kernel/http/index.ts'
import { getProjectRow } from '../../../identity/projects/index.ts'
import { unknownProvider } from '../../../integrations/catalogue/index.ts'
import { schemeIssues } from '../../connection-inputs/index.ts'
import { findConnection } from '../../connections/index.ts'
import { checkedLimits } from './checked-limits.ts'
import { connectOptions } from './connect-options.ts'
import type { ConnectPurpose, NewSession, SessionContent } from './connect-session.ts'
import { methodsOf } from './methods.ts'
import type { ConnectSessionRequest } from './model.ts'

/**
 * Validates the request for a connect session.
 * @throws InvalidInput listing every issue
 * @throws Forbidden if a consumer token requests more than to connect an account
 */
export async function checkedSession(
  db: ProjectDb,
  services: { catalogue: Catalogue; keyring: Keyring },
  body: ConnectSessionRequest,
  { askedBy, confinedTo }: { askedBy: string; confinedTo: Confinement | undefined },
): Promise<NewSession> {
  const { groupRef, groupName, consumerRef, consumerName, language, theme, frameOrigins } = body
  const purpose = body.purpose ?? 'connect'
  // A consumer token is valid for ten minutes: it must not become one that changes installations for longer.
  if (confinedTo && purpose !== 'connect')
    throw new Forbidden({
      detail: 'A consumer token creates only connect sessions with the purpose `connect`.',
      remedy: 'Create the session from your server, with an API key.',
    })
  const { limits, issues } = await checkedLimits(db, services, body)
  const providerAppId = body.providerAppId || undefined
  const connectionId = body.connectionId || undefined
  const redirectUrl = body.redirectUrl || undefined
  const schemeName = body.schemeName || undefined
  const provider = body.provider ?? (limits.providers?.length === 1 ? limits.providers[0] : undefined)
  const content: SessionContent = {
    ...(provider !== undefined && { provider }),
    ...(schemeName !== undefined && { schemeName }),
    groupRef,
    ...(groupName && { groupName }),
    consumerRef,
    ...(consumerName && { consumerName }),
    ...(providerAppId !== undefined && { providerAppId }),
    ...(connectionId !== undefined && { connectionId }),
    ...(redirectUrl !== undefined && { redirectUrl }),
    ...(language && { language }),
    ...(theme && { theme }),
    ...(frameOrigins && { frameOrigins }),
    askedBy,
  }
  if (frameOrigins) issues.push(...(await frameIssues(db, frameOrigins)))
  if (redirectUrl !== undefined) issues.push(...redirectIssues(redirectUrl))
  const known = connectionId === undefined ? undefined : await findConnection(db, connectionId, confinedTo)
  const isTheirs = known?.provider === provider && known?.group_ref === groupRef && known.consumer_ref === consumerRef
  if (connectionId !== undefined && !isTheirs) issues.push(noConnection(connectionId))
  // What can be connected matters only if connecting one account is all that the session is for.
  if (
    purpose === 'connect' &&
    provider !== undefined &&
    issues.every(({ name }) => !/^provider|^integration/.test(name))
  )
    issues.push(
      ...(await providerIssues(db, services, { ...content, provider, ...(!isTheirs && { connectionId: undefined }) })),
    )
  if (issues.length > 0) throw new InvalidInput({ issues })
  return { purpose, limits, content }
}

/** Refuses origins that the project does not trust: a frame of another page could be covered with other content. */
async function frameIssues(db: ProjectDb, frameOrigins: readonly string[]): Promise<Issue[]> {
  const { connect_settings: settings } = await getProjectRow(db)
  return frameOrigins.flatMap((value, index) =>
    settings?.frameOrigins?.includes(value)
      ? []
      : [
          {
            in: 'body' as const,
            name: `frameOrigins[${index}]`,
            value,
            detail: 'The connect settings of the project do not have this origin.',
            remedy: 'Add it with PATCH /v1/projects/{projectIdOrName}, updateMask `connect.frameOrigins`.',
          },
        ],
  )
}

async function providerIssues(
  db: ProjectDb,
  services: { catalogue: Catalogue; keyring: Keyring },
  { connectionId, ...purpose }: Omit<ConnectPurpose, 'connectionId'> & { connectionId?: string | undefined },
): Promise<Issue[]> {
  const entry = services.catalogue.find(purpose.provider)
  if (!entry) return [unknownProvider(services.catalogue, purpose.provider, 'provider')]
  const unknown = schemeIssues(entry, purpose.schemeName)
  if (unknown.length > 0) return unknown
  const options = await connectOptions(db, services, {
    ...purpose,
    ...(connectionId !== undefined && { connectionId }),
  })
  if (options && options.methods.length > 0) return []
  if (methodsOf(entry).length === 0)
    return [
      {
        in: 'body',
        name: 'provider',
        value: entry.name,
        detail: `This release cannot connect accounts of ${entry.displayName}.`,
        remedy: 'Describe it in your own provider file (MORTISE_PROVIDERS_DIR).',
      },
    ]
  return [
    {
      in: 'body',
      name: 'providerAppId',
      ...(purpose.providerAppId && { value: purpose.providerAppId }),
      detail: `The project has no${purpose.providerAppId ? ' such' : ''} provider app at ${entry.displayName}, and its accounts are connected through one.`,
      remedy: 'Store one with POST /v1/projects/{projectIdOrName}/provider-apps.',
    },
  ]
}

/**
 * Refuses other URLs: the browser would leave for something that is not a web page, or send the connection's id over an
 * unencrypted network.
 */
function redirectIssues(text: string): Issue[] {
  const url = URL.parse(text)
  const isLocal = url !== null && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
  const isSafe = url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal))
  if (isSafe && url.username === '' && url.password === '') return []
  return [
    {
      in: 'body',
      name: 'redirectUrl',
      value: text,
      detail: 'redirectUrl must be an https URL without a user name; http is for localhost alone.',
      remedy: 'Send the URL of a page of yours.',
    },
  ]
}

function noConnection(value: string): Issue {
  return {
    in: 'body',
    name: 'connectionId',
    value,
    detail: 'There is no connection of this id of that provider, group and consumer.',
    remedy: 'Leave it out to connect the account as a new connection.',
  }
}
