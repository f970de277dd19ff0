import type { Catalogue, ProviderEntry } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Keyring } from '../../../../kernel/encryption/index.ts'
import { authorOf, type Caller, type Confinement, InvalidInput, type Issue } from '../../../../kernel/http/index.ts'
import { ProviderNotFound } from '../../../integrations/catalogue/index.ts'
import { ConnectionNotFound, findConnection } from '../../connections/index.ts'
import { type ConnectOptions, connectOptions } from '../connect-page/connect-options.ts'
import {
  type ConnectPurpose,
  type OpenedSession,
  openOwnSession,
  type SessionContent,
} from '../connect-page/connect-session.ts'
import { sessionProviders } from '../connect-page/session-providers.ts'

export type TargetServices = { catalogue: Catalogue; keyring: Keyring }

interface Asked {
  caller: Caller
  confinedTo: Confinement | undefined
  groupRef: string | undefined
  consumerRef: string | undefined
}

/** Whom a request is for. */
export interface Who {
  content: SessionContent
  /** The connect session of the token. */
  session: OpenedSession | undefined
}

/**
 * Returns whom a request is for: a token says it, a key sends it.
 * @throws InvalidInput if a key does not
 */
export async function whoOf(
  db: ProjectDb,
  services: { keyring: Keyring },
  { caller, confinedTo, ...asked }: Asked,
  where: Issue['in'],
): Promise<Who> {
  const askedBy = authorOf(caller)
  const ownId = confinedTo?.session?.id
  const session = ownId === undefined ? undefined : await openOwnSession(db, services, ownId)
  if (session) return { content: { ...session.content, askedBy }, session }
  const { groupRef = asked.groupRef, consumerRef = asked.consumerRef } = confinedTo ?? {}
  if (groupRef !== undefined && consumerRef !== undefined)
    return { content: { groupRef, consumerRef, askedBy }, session: undefined }
  const missing = { groupRef, consumerRef }
  throw new InvalidInput({
    issues: (['groupRef', 'consumerRef'] as const)
      .filter((name) => missing[name] === undefined)
      .map((name) => ({ in: where, name, detail: `A request with a key needs ${name}.`, remedy: `Send ${name}.` })),
  })
}

/** What a request connects. */
export interface ConnectTarget {
  purpose: ConnectPurpose
  options: ConnectOptions
  session: OpenedSession | undefined
}

/**
 * Returns what a request may connect at a provider.
 * @throws ProviderNotFound also for a provider that the session is not for
 * @throws ConnectionNotFound also for a connection that the caller may not reconnect
 */
export async function connectTarget(
  db: ProjectDb,
  services: TargetServices,
  asked: Asked & { provider: string; connectionId: string | undefined },
  where: Issue['in'],
): Promise<ConnectTarget> {
  const { provider, confinedTo } = asked
  const { content, session } = await whoOf(db, services, asked, where)
  const entry = services.catalogue.find(provider)
  if (!entry || !(await isAllowed(db, services, session, entry))) throw new ProviderNotFound()
  const isOfSession = content.provider === provider
  const { connectionId: ownConnection, schemeName, providerAppId, provider: _, ...who } = content
  const connectionId = asked.connectionId ?? (isOfSession ? ownConnection : undefined)
  const known = connectionId === undefined ? undefined : await findConnection(db, connectionId, confinedTo)
  const isOwn = known?.consumer_ref === content.consumerRef
  const isTheirs =
    known?.provider === provider &&
    known.group_ref === content.groupRef &&
    // A session that connects one account must not replace that of another person.
    (isOwn || session?.purpose !== 'connect') &&
    (ownConnection === undefined || session?.purpose !== 'connect' || known.connection_id === ownConnection)
  if (connectionId !== undefined && !isTheirs) throw new ConnectionNotFound()
  const { consumerName, ...others } = who
  const purpose: ConnectPurpose = {
    ...(isOwn || !known ? who : { ...others, consumerRef: known.consumer_ref }),
    provider,
    ...(isOfSession && schemeName !== undefined && { schemeName }),
    ...(isOfSession && providerAppId !== undefined && { providerAppId }),
    ...(known && { connectionId: known.connection_id }),
  }
  const options = await connectOptions(db, services, purpose)
  if (!options) throw new ProviderNotFound()
  return { purpose, options, session }
}

async function isAllowed(
  db: ProjectDb,
  services: TargetServices,
  session: OpenedSession | undefined,
  { name }: ProviderEntry,
): Promise<boolean> {
  if (!session) return true
  return (await sessionProviders(db, services, session)).some((provider) => provider.name === name)
}
