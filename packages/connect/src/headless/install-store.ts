import type { ConnectApi } from './api.ts'
import {
  createDraft,
  type Draft,
  type DynamicMappings,
  draftChange,
  draftContent,
  draftIssues,
  type MappingDraft,
  type ObjectDraft,
  objectIssues,
} from './draft.ts'
import type { InstallState } from './install-state.ts'
import { withoutDenied } from './permissions.ts'
import { StateHolder } from './readable.ts'
import { samplesOf } from './samples.ts'
import { type Trouble, troubleOf } from './trouble.ts'
import type { Windows } from './windows.ts'
import type { ConnectInfo, Connection, Installation } from './wire.ts'

export interface InstallOptions {
  api: ConnectApi
  windows: Pick<Windows, 'wait'>
  /** Id or name; needed unless the customer may install only one. */
  integration?: string
  /** Fields that the page offers in addition to those of the manifest. */
  mappings?: DynamicMappings
  /** Loaded already. */
  info?: ConnectInfo
  onInstalled?(installation: Installation): void
  onChanged?(installation: Installation): void
}

const statusPollMs = 2_000
const statusPollsMax = 900

/** Lets a customer choose what an integration reads and writes, install it, and change it later. */
export class InstallStore extends StateHolder<InstallState> {
  readonly #options: InstallOptions
  #run = new AbortController()

  constructor(options: InstallOptions) {
    super({
      step: 'loading',
      connections: [],
      issues: [],
      attempts: 0,
      samples: {},
      previews: {},
      isSaving: false,
    })
    this.#options = options
  }

  /** Loads what there is to choose. Call it once, and again to retry. */
  async start(): Promise<void> {
    const { signal } = this.#restart()
    this.set({ step: 'loading', trouble: undefined })
    try {
      const info = this.#options.info ?? (await this.#options.api.getInfo())
      if (signal.aborted) return
      const wanted = this.#options.integration
      const found = info.integrations.filter(({ id, name }) => wanted === undefined || id === wanted || name === wanted)
      const [integration] = found
      this.set({ info })
      if (!integration || found.length > 1)
        return this.set({ step: 'failed', trouble: { kind: 'notFound', canRetry: false } })
      const connections = info.connections.filter(({ provider }) => provider === integration.provider)
      const installed = info.installations.find(({ integrationId }) => integrationId === integration.id)
      this.set({ integration, connections })
      const connection = connections.find(({ id }) => id === installed?.connectionId)
      if (connection) return await this.#load(connection, installed?.id)
      const [only] = connections
      if (only && connections.length === 1) return await this.#load(only, installed?.id)
      this.set({ step: connections.length === 0 ? 'connect' : 'account' })
    } catch (error) {
      if (!signal.aborted) this.set({ step: 'failed', trouble: troubleOf(error) })
    }
  }

  /** Ends what runs, for example when the component is removed. */
  stop(): void {
    this.#run.abort()
  }

  /** Continues with an account that was connected, or connected again. */
  async useConnection(connection: Connection): Promise<void> {
    this.#restart()
    const others = this.getState().connections.filter(({ id }) => id !== connection.id)
    this.set({ step: 'loading', trouble: undefined, connections: [...others, connection] })
    await this.#load(connection, this.#installed?.id)
  }

  /** Lets the customer connect another account, or the same one again. */
  connect(): void {
    this.set({ step: 'connect' })
  }

  setRead(objectName: string, isOn: boolean): void {
    this.#changeObject(objectName, () => ({ isOn }))
  }

  setWrite(objectName: string, isOn: boolean): void {
    const { draft } = this.getState()
    if (!draft) return
    const writes = draft.writes.map((one) => (one.objectName === objectName ? { ...one, isOn } : one))
    this.set({ draft: { ...draft, writes }, issues: [] })
  }

  setField(objectName: string, field: string, isSelected: boolean): void {
    this.#changeObject(objectName, ({ selected }) => {
      const next = new Set(selected)
      if (isSelected) next.add(field)
      else next.delete(field)
      return { selected: next }
    })
  }

  setAll(objectName: string, isAll: boolean): void {
    this.#changeObject(objectName, () => ({ isAll }))
  }

  /** @param field the account's field; undefined to leave it out */
  setMapping(objectName: string, name: string, field: string | undefined): void {
    this.#changeMapping(objectName, name, ({ field: before, ...mapping }) => ({
      ...mapping,
      isSuggested: false,
      valueMap: field === before ? mapping.valueMap : {},
      ...(field !== undefined && { field }),
    }))
  }

  /** @param value the account's value for the builder's value; empty for none */
  setValueMapping(objectName: string, name: string, mappedValue: string, value: string): void {
    this.#changeMapping(objectName, name, (mapping) => ({
      ...mapping,
      valueMap: { ...mapping.valueMap, [mappedValue]: value },
    }))
  }

  /** Opens an object to choose its fields. */
  openObject(objectName: string): void {
    this.set({ step: 'object', objectName, issues: [] })
    void this.#loadSamples(objectName)
  }

  /** Returns to the objects, unless something is missing in this one. */
  closeObject(): void {
    const object = this.#object(this.getState().objectName)
    const issues = object?.isOn ? objectIssues(object) : []
    if (issues.length > 0) this.#refuse(issues)
    else if (this.#isSingle) void this.preview()
    else this.set({ step: 'objects', issues: [] })
  }

  /** Returns to the step before. */
  back(): void {
    const { step, connections } = this.getState()
    if (step === 'preview') this.#choose()
    else if (step === 'object' && !this.#isSingle) this.set({ step: 'objects', issues: [] })
    else if (step === 'connect' && connections.length > 0)
      this.set({ step: this.getState().draft ? 'objects' : 'account' })
  }

  get canGoBack(): boolean {
    const { step, connections } = this.getState()
    if (step === 'connect') return connections.length > 0
    return step === 'preview' || (step === 'object' && !this.#isSingle)
  }

  /** Reads a few records of each object as they would be delivered. */
  async preview(): Promise<void> {
    const { draft, integration, connection } = this.getState()
    if (!draft || !integration || !connection) return
    const issues = draftIssues(draft)
    if (issues.length > 0) return this.#refuse(issues)
    const objects = draft.objects.filter(({ isOn }) => isOn)
    const [first] = objects
    if (!first) return this.save()
    const { signal } = this.#restart()
    this.set({ step: 'preview', objectName: first.objectName, previews: {}, issues: [], saveTrouble: undefined })
    const content = draftContent(draft)
    for (const { objectName } of objects) {
      const loaded = await this.#options.api
        .preview(integration.id, { connectionId: connection.id, objectName, content })
        .then((preview) => ({ preview }))
        .catch((error: unknown) => ({ trouble: troubleOf(error) }))
      if (signal.aborted) return
      this.set({ previews: { ...this.getState().previews, [objectName]: loaded } })
    }
  }

  showPreview(objectName: string): void {
    this.set({ objectName })
  }

  /** Installs the integration, or saves the changes. */
  async save(): Promise<void> {
    const { draft, saved, integration, connection, info, isSaving } = this.getState()
    if (!draft || !integration || !connection || !info || isSaving) return
    const installed = this.#installed
    const { api } = this.#options
    const { signal } = this.#restart()
    this.set({ isSaving: true, saveTrouble: undefined })
    try {
      const installation =
        installed && saved
          ? await this.#saveChange(integration.id, installed.id, draft, saved)
          : await api.install(integration.id, info.group.groupRef, connection.id, draftContent(draft))
      if (signal.aborted) return
      const step = saved === undefined && integration.asksForWebhookSecret ? 'webhook' : 'done'
      this.set({ step, isSaving: false, installation })
      if (saved) this.#options.onChanged?.(installation)
      else this.#options.onInstalled?.(installation)
      void this.#followStatus(integration.id, installation.id, signal)
    } catch (error) {
      if (signal.aborted) return
      this.set({ isSaving: false, saveTrouble: troubleOf(error), attempts: this.getState().attempts + 1 })
    }
  }

  /** Continues after the webhook, whether it is set up or left for later. */
  finishWebhook(): void {
    this.set({ step: 'done' })
  }

  async #saveChange(integrationId: string, installationId: string, draft: Draft, saved: Draft): Promise<Installation> {
    const { api } = this.#options
    const change = draftChange(draft, saved)
    return change
      ? await api.change(integrationId, installationId, change)
      : await api.getInstallation(integrationId, installationId)
  }

  async #followStatus(integrationId: string, installationId: string, signal: AbortSignal): Promise<void> {
    for (let polls = 0; polls < statusPollsMax && !signal.aborted; polls++) {
      const status = await this.#options.api.getStatus(integrationId, installationId).catch(() => undefined)
      if (signal.aborted) return
      if (status) this.set({ status })
      await this.#options.windows.wait(statusPollMs, signal)
    }
  }

  async #load(connection: Connection, installationId: string | undefined): Promise<void> {
    const { integration } = this.getState()
    const { signal } = this.#run
    if (!integration) return
    this.set({ connection })
    try {
      const { api, mappings } = this.#options
      const [revision, installation] = await Promise.all([
        api.hydrate(integration.id, integration.revisionId, connection.id),
        installationId === undefined ? undefined : api.getInstallation(integration.id, installationId),
      ])
      if (signal.aborted) return
      const content = installation?.config.content as Parameters<typeof createDraft>[1]
      const complete = createDraft(revision, content, mappings)
      const draft = content ? complete : withoutDenied(complete, connection)
      this.set({ draft, saved: content && draft, trouble: undefined })
      this.#choose()
    } catch (error) {
      if (!signal.aborted) await this.#fail(troubleOf(error), connection, signal)
    }
  }

  /** Says why there is nothing to choose. What a provider said when it refused the account is with the account. */
  async #fail(trouble: Trouble, { id }: Connection, signal: AbortSignal): Promise<void> {
    const info = trouble.kind === 'refused' ? await this.#options.api.getInfo().catch(() => undefined) : undefined
    if (signal.aborted) return
    const detail = info?.connections.find((one) => one.id === id)?.failure
    this.set({
      ...(info && { info }),
      step: 'failed',
      trouble: { ...trouble, ...(detail !== undefined && { detail }) },
    })
  }

  /** A single object needs no list of objects. */
  #choose(): void {
    const { draft } = this.getState()
    const [only] = draft?.objects ?? []
    if (this.#isSingle && only) this.openObject(only.objectName)
    else this.set({ step: 'objects', issues: [] })
  }

  get #isSingle(): boolean {
    const { draft } = this.getState()
    return draft?.objects.length === 1 && draft.writes.length === 0 && draft.objects[0]?.isOn === true
  }

  get #installed() {
    const { info, integration } = this.getState()
    return info?.installations.find(({ integrationId }) => integrationId === integration?.id)
  }

  /** A few values help to recognize a field. The step works without them. */
  async #loadSamples(objectName: string): Promise<void> {
    const { draft, integration, connection, samples } = this.getState()
    if (!draft || !integration || !connection || samples[objectName]) return
    const { signal } = this.#run
    const object = this.#object(objectName)
    if (!object) return
    const content = draftContent({ ...draft, objects: [{ ...object, isOn: true }], writes: [] })
    const preview = await this.#options.api
      .preview(integration.id, { connectionId: connection.id, objectName, content })
      .catch(() => undefined)
    if (preview && !signal.aborted)
      this.set({ samples: { ...this.getState().samples, [objectName]: samplesOf(preview) } })
  }

  #refuse(issues: InstallState['issues']): void {
    this.set({ issues, attempts: this.getState().attempts + 1 })
  }

  #object(objectName: string | undefined): ObjectDraft | undefined {
    return this.getState().draft?.objects.find((object) => object.objectName === objectName)
  }

  #changeObject(objectName: string, change: (object: ObjectDraft) => Partial<ObjectDraft>): void {
    const { draft } = this.getState()
    if (!draft) return
    const objects = draft.objects.map((object) =>
      object.objectName === objectName ? { ...object, ...change(object) } : object,
    )
    this.set({ draft: { ...draft, objects }, issues: [] })
  }

  #changeMapping(objectName: string, name: string, change: (mapping: MappingDraft) => MappingDraft): void {
    this.#changeObject(objectName, ({ mappings }) => ({
      mappings: mappings.map((mapping) => (mapping.name === name ? change(mapping) : mapping)),
    }))
  }

  #restart(): AbortController {
    this.#run.abort()
    this.#run = new AbortController()
    return this.#run
  }
}
