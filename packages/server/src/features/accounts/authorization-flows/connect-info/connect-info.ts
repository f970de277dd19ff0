import { asksForSecret, type ProviderEntry } from '@mortise/providers'
import type { ProjectDb } from '../../../../kernel/db/index.ts'
import type { Confinement } from '../../../../kernel/http/index.ts'
import { getProjectRow, shownAppName } from '../../../identity/projects/index.ts'
import { installationFilterOf, listInstallationSummaries } from '../../../integrations/installations/index.ts'
import { listIntegrationSummaries } from '../../../integrations/integrations/index.ts'
import { connectionFilterOf, listConnectionRows } from '../../connections/index.ts'
import { findConsumer, findGroup } from '../../consumers/index.ts'
import { type ConnectOptions, connectOptions } from '../connect-page/connect-options.ts'
import type { ConnectPurpose } from '../connect-page/connect-session.ts'
import { frameOriginsOf } from '../connect-page/frame-origins.ts'
import { connectionInfos } from './connection-info.ts'
import { askedFor, formOf, kindOf } from './form-resource.ts'
import type { ConnectInfo } from './model.ts'
import type { TargetServices, Who } from './target.ts'

const rowsMax = 200

/** Returns all that the first view of a component needs, within the limits of who asks. */
export async function connectInfoOf(
  db: ProjectDb,
  services: TargetServices,
  { who, confinedTo }: { who: Who; confinedTo: Confinement | undefined },
): Promise<ConnectInfo> {
  const { content, session } = who
  const refs = { groupRef: content.groupRef, consumerRef: content.consumerRef }
  const mayInstall = session?.purpose !== 'connect'
  const { integrationIds } = session?.limits ?? {}
  const [project, group, consumer, integrations, connections, installations] = await Promise.all([
    getProjectRow(db),
    findGroup(db, refs.groupRef),
    findConsumer(db, refs.consumerRef),
    mayInstall || integrationIds ? listIntegrationSummaries(db, integrationIds) : [],
    listConnectionRows(db, { ...connectionFilterOf(confinedTo), groupRef: refs.groupRef }, { limit: rowsMax }),
    mayInstall
      ? listInstallationSummaries(db, { ...installationFilterOf(confinedTo), groupRef: refs.groupRef }, rowsMax)
      : [],
  ])
  const names = session?.limits.providers ?? integrations.map(({ provider }) => provider)
  const providers = [...new Set(names)].flatMap((name) => services.catalogue.find(name) ?? [])
  const displayNameOf = (provider: string) => services.catalogue.find(provider)?.displayName ?? provider
  const asksForWebhook = (provider: string) => {
    const webhooks = services.catalogue.find(provider)?.file?.webhooks
    return webhooks !== undefined && asksForSecret(webhooks.verify)
  }
  const appName = shownAppName(project)
  const newest = new Map(installations.map(({ id, integrationId }) => [integrationId, id] as const).toReversed())
  const connect = { ...project.connect_settings }
  return {
    projectId: db.projectId,
    ...(appName !== undefined && { appName }),
    ...(project.logo_url !== null && { logoUrl: project.logo_url }),
    connect: { ...connect, ...(connect.frameOrigins && { frameOrigins: frameOriginsOf(project, session) }) },
    ...sessionOf(who),
    group: { groupRef: refs.groupRef, groupName: group?.group_name ?? content.groupName ?? refs.groupRef },
    consumer: {
      consumerRef: refs.consumerRef,
      consumerName: consumer?.consumer_name ?? content.consumerName ?? refs.consumerRef,
    },
    ...(await providersOf(db, services, who, providers)),
    integrations: integrations.map(({ subscribes, ...integration }) => {
      const installationId = newest.get(integration.id)
      return {
        ...integration,
        providerDisplayName: displayNameOf(integration.provider),
        ...(installationId !== undefined && { installationId }),
        ...(subscribes && asksForWebhook(integration.provider) && { asksForWebhookSecret: true }),
      }
    }),
    connections: await connectionInfos(db, services, connections, integrationIds),
    installations: installations.map(({ healthReasons, lastReadTime, ...installation }) => ({
      ...installation,
      ...(healthReasons && healthReasons.length > 0 && { healthReasons }),
      ...(lastReadTime && { lastReadTime }),
    })),
  }
}

function sessionOf({ session }: Who): Pick<ConnectInfo, 'session'> {
  if (!session) return {}
  const { id, purpose, content, connectionId, failure, expireTime } = session
  const { language, theme, redirectUrl } = content
  return {
    session: {
      id,
      purpose,
      ...(language !== undefined && { language }),
      ...(theme !== undefined && { theme }),
      ...(redirectUrl !== undefined && { redirectUrl }),
      ...(connectionId !== undefined && { connectionId }),
      ...(failure !== undefined && { failure }),
      expireTime,
    },
  }
}

/**
 * Returns the providers with the kinds of methods that the project can use; none if it lacks a provider app, for
 * example. With the form of the only one, so that it is there without a second request.
 */
async function providersOf(
  db: ProjectDb,
  services: TargetServices,
  who: Who,
  entries: readonly ProviderEntry[],
): Promise<Pick<ConnectInfo, 'providers' | 'form'>> {
  const all = await Promise.all(
    entries.map(async (entry) => {
      const purpose = purposeAt(who, entry)
      return { entry, purpose, options: await connectOptions(db, services, purpose) }
    }),
  )
  const [only] = all
  return {
    providers: all.map(({ entry: { name, displayName }, options }) => ({ name, displayName, ...methodsOf(options) })),
    ...(only?.options && all.length === 1 && { form: await formOf(db, only.options, only.purpose.providerAppId) }),
  }
}

function methodsOf(options: ConnectOptions | undefined): Pick<ConnectInfo['providers'][number], 'methods' | 'asksFor'> {
  const [preferred] = options?.methods ?? []
  if (!options || !preferred) return { methods: [] }
  const asksFor = askedFor(preferred)
  return {
    methods: [...new Set(options.methods.map((method) => kindOf(options, method)))],
    ...(asksFor && { asksFor }),
  }
}

/** Only the session's own provider has the scheme, the provider app and the connection that the session names. */
function purposeAt({ content }: Who, { name: provider }: ProviderEntry): ConnectPurpose {
  if (content.provider === provider) return { ...content, provider }
  const { connectionId: _, schemeName: __, providerAppId: ___, ...others } = content
  return { ...others, provider }
}
