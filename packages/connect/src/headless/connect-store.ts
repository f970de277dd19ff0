import { MortiseProblem } from '@mortise/client'
import type { ConnectApi } from './api.ts'
import type { AccessResult, AccessState, ConnectState } from './connect-state.ts'
import { type FieldIssue, initialValues, issuesOf, sentValues, withoutAffixes } from './form-values.ts'
import { canContinueWithout } from './permissions.ts'
import { PopupFlow } from './popup-flow.ts'
import { StateHolder } from './readable.ts'
import { indexed, type SearchIndex, search } from './search.ts'
import { troubleOf } from './trouble.ts'
import type { OpenedWindow, Windows } from './windows.ts'
import type { ConnectForm, ConnectInfo, Connection, FormMethod, ProviderSummary } from './wire.ts'

export interface ConnectOptions {
  api: ConnectApi
  windows: Windows
  /** Origin of the service; messages of other origins are ignored. */
  server: string
  /** The only provider. */
  provider?: string
  /** A connection that gets new access. */
  connectionId?: string
  /** `popup` unless defined. */
  mode?: 'popup' | 'redirect'
  /** Text of the window until the provider's page arrives. */
  windowTitle?: string
  /** Loaded already. */
  info?: ConnectInfo
  /** What a redirect returned with. */
  returned?: { provider?: string; connectionId?: string; error?: string }
  onConnected?(connection: Connection): void
}

/** Lets a customer choose a provider and give access to an account. */
export class ConnectStore extends StateHolder<ConnectState> {
  readonly #options: ConnectOptions
  #index: SearchIndex<ProviderSummary> = { entries: [], texts: [] }
  #run = new AbortController()
  #window: OpenedWindow | undefined

  constructor(options: ConnectOptions) {
    super({ step: 'loading', search: '', providers: [], canGoBack: false })
    this.#options = options
  }

  /** Loads what may be connected. Call it once, and again to retry. */
  async start(): Promise<void> {
    this.set({ step: 'loading', trouble: undefined })
    try {
      const { info: known, returned } = this.#options
      const info = known ?? (await this.#options.api.getInfo())
      const providers = info.providers.toSorted((a, b) => a.displayName.localeCompare(b.displayName))
      this.#index = indexed(providers, ({ name, displayName }) => `${displayName} ${name}`)
      const doneId = returned?.connectionId ?? connectedBySession(info)
      const done = doneId === undefined ? undefined : info.connections.find(({ id }) => id === doneId)
      if (done) {
        await this.#connected(done, info)
        if (returned?.error !== undefined && this.getState().access)
          this.#fail({ kind: 'denied', detail: returned.error })
        return
      }
      const only = this.#options.provider ?? (providers.length === 1 ? providers[0]?.name : undefined)
      this.set({ info, providers, canGoBack: only === undefined, step: 'provider' })
      const chosen = only ?? returned?.provider
      if (chosen !== undefined) await this.chooseProvider(chosen)
      if (returned?.error !== undefined && this.getState().access)
        this.#fail({ kind: 'denied', detail: returned.error })
    } catch (error) {
      this.set({ step: 'failed', trouble: troubleOf(error) })
    }
  }

  /** Ends what runs, for example when the component is removed. */
  stop(): void {
    this.#abort()
  }

  setSearch(text: string): void {
    this.set({ search: text, providers: search(this.#index, text) })
  }

  async chooseProvider(name: string): Promise<void> {
    this.#abort()
    const { info } = this.getState()
    const summary = info?.providers.find((provider) => provider.name === name)
    const broken = info?.connections.find(({ provider, status }) => provider === name && status === 'bad_credentials')
    const connectionId = this.#options.connectionId ?? broken?.id
    this.set({ step: 'access', access: newAccess(name, summary?.displayName, connectionId) })
    await this.loadForm()
  }

  /** Loads the form; call it again to retry. */
  async loadForm(): Promise<void> {
    const { signal } = this.#run
    const { access } = this.getState()
    if (!access) return
    this.#access({ result: undefined })
    try {
      const { name } = access.provider
      const form =
        this.#knownForm(name, access.connectionId) ?? (await this.#options.api.getForm(name, access.connectionId))
      if (signal.aborted) return
      const [method] = form.methods
      const provider = { name, displayName: form.displayName }
      this.#access({ form, provider, ...(method && this.#using(method)) })
    } catch (error) {
      if (!signal.aborted) this.#fail({ kind: 'formFailed', trouble: troubleOf(error) })
    }
  }

  /** The form that came with the list, if it is that of this account. */
  #knownForm(provider: string, connectionId: string | undefined): ConnectForm | undefined {
    const form = this.getState().info?.form
    return form?.name === provider && form.reconnects === connectionId ? form : undefined
  }

  /** Returns to the list of providers. */
  back(): void {
    this.#abort()
    this.set({ step: 'provider', access: undefined })
  }

  chooseMethod(scheme: string): void {
    const method = this.getState().access?.form?.methods.find((one) => one.scheme === scheme)
    if (method) this.#access({ ...this.#using(method), issues: [], result: undefined, continueUrl: undefined })
  }

  setValue(name: string, text: string): void {
    const { access } = this.getState()
    const field = access?.method?.fields.find((one) => one.name === name)
    if (!access || !field) return
    this.#access({
      values: { ...access.values, [name]: text },
      issues: access.issues.filter((issue) => issue.field !== name),
    })
  }

  /** Removes from a value what its field shows around it. Call it when the customer leaves the field. */
  tidyValue(name: string): void {
    const { access } = this.getState()
    const field = access?.method?.fields.find((one) => one.name === name)
    if (!access || !field || (field.prefix === undefined && field.suffix === undefined)) return
    const value = withoutAffixes(access.values[name] ?? '', field)
    if (value !== access.values[name]) this.#access({ values: { ...access.values, [name]: value } })
  }

  /**
   * Gives access by the form, or opens the provider's page. Call it in the handler of the click: a browser opens a
   * window only then.
   */
  async submit(how: 'popup' | 'redirect' = this.#options.mode ?? 'popup'): Promise<void> {
    const method = this.getState().access?.method
    if (!method || this.getState().access?.phase !== 'editing') return
    for (const { name } of method.fields) this.tidyValue(name)
    const { access } = this.getState()
    if (!access) return
    const issues = issuesOf(method, access.values)
    if (issues.length > 0) return this.#access({ issues, attempts: access.attempts + 1, result: undefined })
    const needsWindow = method.kind === 'oauth2' && how === 'popup'
    const opened = needsWindow ? this.#options.windows.open(this.#options.windowTitle ?? '') : undefined
    if (needsWindow && !opened) return this.#fail({ kind: 'blocked' })
    await this.#send(access, method, how, opened)
  }

  /** Opens the page on which the customer has to continue. Call it in the handler of the click. */
  async continue(): Promise<void> {
    const url = this.getState().access?.continueUrl
    if (url === undefined) return
    const opened = this.#options.windows.open(this.#options.windowTitle ?? '')
    if (!opened) return this.#leave(url)
    this.#abort()
    await this.#follow(opened, url)
  }

  /** Continues with the account although it did not grant all permissions. */
  continueWithout(): void {
    const { step, connection, canContinue } = this.getState()
    if (step === 'permissions' && connection && canContinue) this.#finish(connection)
  }

  /** Gives up waiting for the window, and closes it. */
  cancelWindow(): void {
    this.#abort()
    if (this.getState().access) this.#access({ phase: 'editing' })
  }

  async #send(access: AccessState, method: FormMethod, how: 'popup' | 'redirect', opened: OpenedWindow | undefined) {
    this.#abort()
    this.#window = opened
    const { signal } = this.#run
    this.#access({ phase: opened ? 'window' : 'sending', issues: [], result: undefined, continueUrl: undefined })
    const { api, windows } = this.#options
    try {
      const outcome = await api.connect(access.provider.name, {
        scheme: method.scheme,
        values: sentValues(method, access.values),
        mode: how,
        ...(access.connectionId !== undefined && { connectionId: access.connectionId }),
        ...(how === 'redirect' && { returnUrl: windows.address() }),
      })
      if (signal.aborted) return
      const { connection, url } = outcome
      if (connection) {
        opened?.close()
        return await this.#connected(connection)
      }
      if (!isPage(url)) throw new TypeError('not an address of a page')
      if (how === 'redirect') return this.#leave(url)
      if (!opened) return this.#access({ phase: 'editing', continueUrl: url })
      await this.#follow(opened, url)
    } catch (error) {
      opened?.close()
      if (!signal.aborted) this.#refuse(error, method)
    }
  }

  async #follow(opened: OpenedWindow, url: string): Promise<void> {
    const { api, windows, server } = this.#options
    const { signal } = this.#run
    this.#window = opened
    this.#access({ phase: 'window', result: undefined })
    const { info, access } = this.getState()
    const before = await api.getInfo().catch(() => info)
    if (signal.aborted || !access) return
    opened.navigate(url)
    const { provider, connectionId } = access
    const of = { before, provider: provider.name, connectionId }
    const flow = new PopupFlow({ api, windows, server, window: opened, signal, ...of })
    let end = await flow.ended()
    if (end.kind === 'closed') {
      this.#fail({ kind: 'closed' })
      end = await flow.endedLater()
    }
    if (signal.aborted || end.kind === 'aborted' || end.kind === 'closed') return
    if (end.kind === 'denied') {
      opened.close()
      return this.#fail({ kind: 'denied', ...(end.detail && { detail: end.detail }) })
    }
    await this.#connectedAs(end.connectionId, signal)
  }

  /** Reads the connection from the service: the message may hold only its id. */
  async #connectedAs(connectionId: string | undefined, signal: AbortSignal): Promise<void> {
    try {
      const info = await this.#options.api.getInfo()
      if (signal.aborted) return
      const name = this.getState().access?.provider.name
      const newestFirst = info.connections
        .filter(({ id, provider }) => (connectionId === undefined ? provider === name : id === connectionId))
        .toSorted((a, b) => (b.updateTime ?? b.createTime).localeCompare(a.updateTime ?? a.createTime))
      const [connection] = newestFirst
      if (connection) await this.#connected(connection, info)
      else this.#fail({ kind: 'closed' })
    } catch (error) {
      if (!signal.aborted) this.#fail({ kind: 'trouble', trouble: troubleOf(error) })
    }
  }

  /** Ends, or first says what the account did not grant. `submit` then asks for it again. */
  async #connected(connection: Connection, info = this.getState().info): Promise<void> {
    if (!connection.missingPermissions?.length) return this.#finish(connection, info)
    this.#abort()
    const displayName = info?.providers.find(({ name }) => name === connection.provider)?.displayName
    this.set({
      step: 'permissions',
      connection,
      canContinue: canContinueWithout(connection),
      access: newAccess(connection.provider, displayName, connection.id),
      ...(info && { info }),
    })
    await this.loadForm()
  }

  #finish(connection: Connection, info = this.getState().info): void {
    this.#abort()
    this.set({ step: 'done', connection, access: undefined, canContinue: undefined, ...(info && { info }) })
    this.#options.onConnected?.(connection)
  }

  #refuse(error: unknown, method: FormMethod): void {
    const issues = error instanceof MortiseProblem ? fieldIssues(error, method) : []
    const attempts = (this.getState().access?.attempts ?? 0) + 1
    if (issues.length > 0) this.#access({ phase: 'editing', issues, attempts })
    else this.#fail({ kind: 'trouble', trouble: troubleOf(error) })
  }

  #fail(result: AccessResult): void {
    this.#access({ phase: 'editing', result, attempts: (this.getState().access?.attempts ?? 0) + 1 })
  }

  #leave(url: string): void {
    this.#access({ phase: 'leaving' })
    this.#options.windows.leave(url)
  }

  #using(method: FormMethod): Pick<AccessState, 'method' | 'values'> {
    return { method, values: initialValues(method, this.getState().access?.values ?? {}) }
  }

  #access(change: { [K in keyof AccessState]?: AccessState[K] | undefined }): void {
    const { access } = this.getState()
    if (!access) return
    const next = { ...access, ...change }
    for (const key of Object.keys(change) as (keyof AccessState)[]) if (next[key] === undefined) delete next[key]
    this.set({ access: next as AccessState })
  }

  #abort(): void {
    this.#run.abort()
    this.#run = new AbortController()
    this.#window?.close()
    this.#window = undefined
  }
}

function newAccess(name: string, displayName = name, connectionId: string | undefined): AccessState {
  return {
    provider: { name, displayName },
    ...(connectionId !== undefined && { connectionId }),
    values: {},
    issues: [],
    attempts: 0,
    phase: 'editing',
  }
}

/** The account of a session that connects only one: a page that is loaded again continues with it. */
function connectedBySession({ session }: ConnectInfo): string | undefined {
  return session?.purpose === 'connect' ? session.connectionId : undefined
}

function isPage(url: string | undefined): url is string {
  return url !== undefined && /^https?:\/\//i.test(url)
}

/** Names of the fields are below `values` in the request. */
function fieldIssues({ issues }: MortiseProblem, { fields }: FormMethod): FieldIssue[] {
  return issues.flatMap(({ name, detail }) => {
    const field = fields.find((one) => name === `values.${one.name}` || name === one.name)
    return field ? [{ field: field.name, code: 'refused' as const, ...(detail && { detail }) }] : []
  })
}
