import type { ConnectApi } from './api.ts'
import type { ManagedConnection, ManagedInstallation, ManageState, Removal } from './manage-state.ts'
import { StateHolder } from './readable.ts'
import { troubleOf } from './trouble.ts'
import type { ConfigContent, ConnectInfo, InstallationStatus, InstallationSummary, ReadConfigObject } from './wire.ts'

export interface ManageOptions {
  api: ConnectApi
  /** Only this integration, by id or name. */
  integration?: string
  /** Current time in milliseconds; the clock of the machine unless defined. */
  now?: () => number
  onRemoved?(removed: { installationId?: string; connectionId?: string }): void
}

/** Installations whose objects are asked for when the list is loaded. */
const statusesMax = 20

/** Shows what is connected and installed, and changes it. */
export class ManageStore extends StateHolder<ManageState> {
  readonly #options: ManageOptions
  #run = new AbortController()

  constructor(options: ManageOptions) {
    super({ step: 'loading', installations: [], connections: [], attempts: 0 })
    this.#options = options
  }

  /** Loads the list. Call it once, and again to refresh. */
  async start(): Promise<void> {
    this.#run.abort()
    this.#run = new AbortController()
    const { signal } = this.#run
    const isFirst = this.getState().info === undefined
    if (isFirst) this.set({ step: 'loading', trouble: undefined })
    try {
      const info = await this.#options.api.getInfo()
      if (signal.aborted) return
      this.#show(info)
      this.set({ step: 'list', trouble: undefined, target: undefined, removal: undefined, actionTrouble: undefined })
      await this.#loadStatuses(signal)
    } catch (error) {
      if (!signal.aborted) this.set({ step: 'failed', trouble: troubleOf(error) })
    }
  }

  /** Ends what runs, for example when the component is removed. */
  stop(): void {
    this.#run.abort()
  }

  /** Gives an account access again, or the scopes that are missing. */
  reconnect(connectionId: string): void {
    const connection = this.getState().info?.connections.find(({ id }) => id === connectionId)
    if (connection) this.set({ step: 'reconnect', target: { connection }, said: undefined })
  }

  /** Changes what an installation reads and writes. */
  change(integrationId: string): void {
    this.set({ step: 'change', target: { integrationId }, said: undefined })
  }

  /** Shows the webhook that the customer sets up at the provider. */
  setUpWebhook(installationId: string): void {
    const found = this.#managed(installationId)
    if (found)
      this.set({ step: 'webhook', target: { integrationId: found.integration.id, installationId }, said: undefined })
  }

  back(): void {
    this.set({ step: 'list', target: undefined, removal: undefined })
  }

  async setPaused(installationId: string, isPaused: boolean): Promise<void> {
    const found = this.#managed(installationId)
    if (!found || this.getState().busyId !== undefined) return
    this.set({ busyId: installationId, actionTrouble: undefined, said: undefined })
    try {
      await this.#options.api.setPaused(found.integration.id, installationId, isPaused)
      this.set({
        busyId: undefined,
        said: { what: isPaused ? 'paused' : 'resumed', name: found.integration.displayName },
      })
      await this.start()
    } catch (error) {
      const { attempts } = this.getState()
      const actionTrouble = { id: installationId, trouble: troubleOf(error) }
      this.set({ busyId: undefined, actionTrouble, attempts: attempts + 1 })
    }
  }

  /** Asks whether to remove an installation. */
  async askRemove(installationId: string): Promise<void> {
    const found = this.#managed(installationId)
    if (!found) return
    const { displayName, providerDisplayName } = found.integration
    await this.#ask('installation', installationId, displayName, providerDisplayName, [found])
  }

  /** Asks whether to delete an account. */
  async askDisconnect(connectionId: string): Promise<void> {
    const found = this.getState().connections.find(({ connection }) => connection.id === connectionId)
    if (found) await this.#ask('connection', connectionId, found.displayName, found.displayName, found.installations)
  }

  /** A name that is copied from a right-to-left text brings the invisible marks that isolate it there. */
  setTyped(typed: string): void {
    this.#removal({ typed: typed.replaceAll(/[\u2066-\u2069]/g, '') })
  }

  /** Whether the customer may remove it now. */
  get canRemove(): boolean {
    const { removal } = this.getState()
    if (!removal?.losses || removal.isRemoving) return false
    return !removal.needsName || removal.typed.trim() === removal.name
  }

  async remove(): Promise<void> {
    const { removal } = this.getState()
    if (!removal || !this.canRemove) return
    const { api, onRemoved } = this.#options
    this.#removal({ isRemoving: true, trouble: undefined })
    try {
      if (removal.kind === 'connection') await api.disconnect(removal.id)
      else await api.uninstall(this.#managed(removal.id)?.integration.id ?? '', removal.id)
      onRemoved?.(removal.kind === 'connection' ? { connectionId: removal.id } : { installationId: removal.id })
      this.set({ said: { what: 'removed', name: removal.name } })
      await this.start()
    } catch (error) {
      this.#removal({ isRemoving: false, trouble: troubleOf(error) })
      this.set({ attempts: this.getState().attempts + 1 })
    }
  }

  async #ask(
    kind: Removal['kind'],
    id: string,
    name: string,
    provider: string,
    lost: readonly ManagedInstallation[],
  ): Promise<void> {
    const removal: Removal = { kind, id, name, provider, needsName: lost.length > 1, typed: '', isRemoving: false }
    this.set({ step: 'remove', removal, said: undefined })
    const losses = await Promise.all(
      lost.map(async ({ integration, installation, status }) => {
        const { api } = this.#options
        const ids = [integration.id, installation.id] as const
        // The status has the names for people. The list loads it only later, and not for all.
        const [found, named] = await Promise.all([
          api.getInstallation(...ids).catch(() => undefined),
          status ?? api.getStatus(...ids).catch(() => undefined),
        ])
        return {
          name: integration.displayName,
          objects: lostObjects(found?.config.content as ConfigContent | undefined, named),
        }
      }),
    )
    if (this.getState().removal?.id === id) this.#removal({ losses })
  }

  #show(info: ConnectInfo): void {
    const wanted = this.#options.integration
    const installations = info.installations.flatMap((installation): ManagedInstallation[] => {
      const integration = info.integrations.find(({ id }) => id === installation.integrationId)
      if (!integration || (wanted !== undefined && integration.id !== wanted && integration.name !== wanted)) return []
      const connection = info.connections.find(({ id }) => id === installation.connectionId)
      const isBroken = connection?.status === 'bad_credentials'
      const before = this.#managed(installation.id)?.status
      return [
        {
          integration,
          installation,
          state: stateOf(installation, isBroken),
          ...(connection && { connection }),
          ...(before && { status: before }),
        },
      ]
    })
    const connections = info.connections
      .map((connection): ManagedConnection => {
        const uses = installations.filter(({ installation }) => installation.connectionId === connection.id)
        const displayName =
          info.providers.find(({ name }) => name === connection.provider)?.displayName ??
          info.integrations.find(({ provider }) => provider === connection.provider)?.providerDisplayName ??
          connection.provider
        return { connection, displayName, installations: uses }
      })
      .filter((one) => wanted === undefined || one.installations.length > 0)
    const loadedAt = new Date(this.#options.now?.() ?? Date.now()).toISOString()
    this.set({ info, installations, connections, loadedAt })
  }

  /** What each object does; the list is usable before. */
  async #loadStatuses(signal: AbortSignal): Promise<void> {
    const { installations } = this.getState()
    for (const { integration, installation } of installations.slice(0, statusesMax)) {
      const status = await this.#options.api.getStatus(integration.id, installation.id).catch(() => undefined)
      if (signal.aborted) return
      if (!status) continue
      const next = this.getState().installations.map((one) =>
        one.installation.id === installation.id ? { ...one, status } : one,
      )
      this.set({ installations: next })
    }
  }

  #managed(installationId: string): ManagedInstallation | undefined {
    return this.getState().installations.find(({ installation }) => installation.id === installationId)
  }

  #removal(change: { [K in keyof Removal]?: Removal[K] | undefined }): void {
    const { removal } = this.getState()
    if (!removal) return
    const next = { ...removal, ...change }
    if (next.trouble === undefined) delete next.trouble
    this.set({ removal: next as Removal })
  }
}

function stateOf({ isPaused, healthStatus }: InstallationSummary, isBroken: boolean): ManagedInstallation['state'] {
  if (isBroken) return 'broken'
  if (isPaused) return 'paused'
  return healthStatus === 'unhealthy' ? 'unhealthy' : 'working'
}

function lostObjects(content: ConfigContent | undefined, status: InstallationStatus | undefined) {
  const objects: Record<string, ReadConfigObject> = content?.read?.objects ?? {}
  return Object.entries(objects).map(([name, { selectedFields = {}, selectedFieldMappings = {} }]) => ({
    label: status?.objects.find(({ objectName }) => objectName === name)?.displayName ?? name,
    fields: Object.values(selectedFields).filter(Boolean).length,
    mappings: Object.keys(selectedFieldMappings).length,
  }))
}
