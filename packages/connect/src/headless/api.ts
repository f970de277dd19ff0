import { createCalls, MortiseProblem, type SomeCalls } from '@mortise/client'
import type {
  ConfigContent,
  ConnectBody,
  ConnectForm,
  ConnectInfo,
  ConnectOutcome,
  HydratedRevision,
  Installation,
  InstallationStatus,
  InstallationWebhook,
  Preview,
  PreviewRequest,
  ReadConfigObject,
  WriteConfigObject,
} from './wire.ts'

export interface ApiOptions {
  /** Origin of the service. */
  server: string
  /** Id or name of the project. */
  project: string
  /**
   * Returns the token of a connect session, or a consumer's JWT. It is called for the first request, and again when the
   * service refuses the token.
   */
  getToken?: () => string | Promise<string>
  /** A frontend API key instead of a token; needs `groupRef` and `consumerRef`. */
  apiKey?: string
  groupRef?: string
  consumerRef?: string
  fetch?: typeof globalThis.fetch
}

/** Changes of an installation, by the paths of its update mask. */
export interface InstallationChange {
  updateMask: string[]
  connectionId?: string
  read?: Record<string, ReadConfigObject>
  write?: Record<string, WriteConfigObject>
}

/** What the stores ask the service for. */
export interface ConnectApi {
  getInfo(): Promise<ConnectInfo>
  getForm(provider: string, connectionId?: string): Promise<ConnectForm>
  connect(provider: string, body: ConnectBody): Promise<ConnectOutcome>
  hydrate(integrationId: string, revisionId: string, connectionId: string): Promise<HydratedRevision>
  preview(integrationId: string, body: PreviewRequest): Promise<Preview>
  getInstallation(integrationId: string, installationId: string): Promise<Installation>
  getStatus(integrationId: string, installationId: string): Promise<InstallationStatus>
  getWebhook(integrationId: string, installationId: string): Promise<InstallationWebhook>
  setWebhookSecret(integrationId: string, installationId: string, secret: string): Promise<InstallationWebhook>
  install(integrationId: string, groupRef: string, connectionId: string, content: ConfigContent): Promise<Installation>
  change(integrationId: string, installationId: string, change: InstallationChange): Promise<Installation>
  uninstall(integrationId: string, installationId: string): Promise<void>
  disconnect(connectionId: string): Promise<void>
  setPaused(integrationId: string, installationId: string, isPaused: boolean): Promise<void>
}

const operations = {
  connectProviderAccount: ['POST', '/v1/projects/{projectIdOrName}/connect-info/providers/{provider}:connect'],
  createInstallation: ['POST', '/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations'],
  deleteConnection: ['DELETE', '/v1/projects/{projectIdOrName}/connections/{connectionId}'],
  deleteInstallation: [
    'DELETE',
    '/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}',
  ],
  getConnectForm: ['GET', '/v1/projects/{projectIdOrName}/connect-info/providers/{provider}'],
  getConnectInfo: ['GET', '/v1/projects/{projectIdOrName}/connect-info'],
  getHydratedRevision: [
    'GET',
    '/v1/projects/{projectIdOrName}/integrations/{integrationId}/revisions/{revisionId}:hydrate',
  ],
  getInstallation: [
    'GET',
    '/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}',
  ],
  getInstallationStatus: [
    'GET',
    '/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/status',
  ],
  getInstallationWebhook: [
    'GET',
    '/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/webhook',
  ],
  pauseReads: [
    'POST',
    '/read/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}:pause',
  ],
  previewRecords: ['POST', '/v1/projects/{projectIdOrName}/integrations/{integrationId}:preview'],
  setWebhookSecret: [
    'PUT',
    '/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}/webhook-secret',
  ],
  unpauseReads: [
    'POST',
    '/read/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}:unpause',
  ],
  updateInstallation: [
    'PATCH',
    '/v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}',
  ],
} as const

/** Creates the client of one customer. It asks for a token once, and again when the service refuses it. */
export function createApi(options: ApiOptions): ConnectApi {
  const {
    server,
    project,
    getToken,
    apiKey,
    groupRef,
    consumerRef,
    fetch = (request) => globalThis.fetch(request),
  } = options
  let token: Promise<string> | undefined
  /** How often a token was asked for. */
  let count = 0
  const currentToken = () => {
    if (token === undefined) {
      count++
      token = Promise.resolve(getToken?.() ?? '')
    }
    return token
  }
  /** Asks for another token once if the service refuses this one. */
  const sendAgain: typeof globalThis.fetch = async (input) => {
    const request = input as Request
    const copy = request.clone()
    const asked = count
    const response = await fetch(request)
    if (response.status !== 401 || !getToken) return response
    // A request that ran at the same time may have asked for another token already.
    if (asked === count) token = undefined
    const next = await currentToken()
    if (copy.headers.get('authorization') === `Bearer ${next}`) return response
    copy.headers.set('authorization', `Bearer ${next}`)
    return fetch(copy)
  }
  const client = {
    baseUrl: server,
    project,
    retries: 2,
    timeoutMs: 30_000,
    fetch: sendAgain,
    ...(apiKey === undefined ? { token: currentToken } : { apiKey }),
  }
  let created: SomeCalls<keyof typeof operations> | undefined
  // With the first request: a page that brings what its first view needs sends none until then.
  const calls = () => {
    created ??= createCalls(client, operations)
    return created
  }
  const who = { ...(groupRef !== undefined && { groupRef }), ...(consumerRef !== undefined && { consumerRef }) }
  return {
    getInfo: () => calls().getConnectInfo({ query: who }),
    getForm: (provider, connectionId) =>
      calls().getConnectForm({ provider, query: { ...who, ...(connectionId !== undefined && { connectionId }) } }),
    connect: (provider, body) => calls().connectProviderAccount({ provider, body: { ...who, ...body } }),
    hydrate: (integrationId, revisionId, connectionId) =>
      calls().getHydratedRevision({ integrationId, revisionId, query: { connectionId } }),
    preview: (integrationId, body) => calls().previewRecords({ integrationId, body }),
    getStatus: (integrationId, installationId) => calls().getInstallationStatus({ integrationId, installationId }),
    getInstallation: (integrationId, installationId) => calls().getInstallation({ integrationId, installationId }),
    getWebhook: (integrationId, installationId) => calls().getInstallationWebhook({ integrationId, installationId }),
    setWebhookSecret: (integrationId, installationId, secret) =>
      calls().setWebhookSecret({ integrationId, installationId, body: { secret } }),
    install: (integrationId, group, connectionId, content) =>
      calls().createInstallation({ integrationId, body: { groupRef: group, connectionId, config: { content } } }),
    change: (integrationId, installationId, { updateMask, connectionId, read, write }) =>
      calls().updateInstallation({
        integrationId,
        installationId,
        body: {
          updateMask,
          installation: {
            ...(connectionId !== undefined && { connectionId }),
            config: {
              content: { ...(read && { read: { objects: read } }), ...(write && { write: { objects: write } }) },
            },
          },
        },
      }),
    uninstall: async (integrationId, installationId) => {
      await calls().deleteInstallation({ integrationId, installationId }).catch(ignoreMissing)
    },
    disconnect: async (connectionId) => {
      await calls().deleteConnection({ connectionId }).catch(ignoreMissing)
    },
    setPaused: async (integrationId, installationId, isPaused) => {
      await (isPaused ? calls().pauseReads : calls().unpauseReads)({ integrationId, installationId })
    },
  }
}

/** What is to be deleted may be deleted already. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof MortiseProblem && error.status === 404)) throw error
}
