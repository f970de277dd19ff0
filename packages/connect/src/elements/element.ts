import { html, LitElement, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit'
import { type ConnectApi, createApi } from '../headless/api.ts'
import { browserWindows } from '../headless/browser-windows.ts'
import type { Readable } from '../headless/readable.ts'
import type { Windows } from '../headless/windows.ts'
import type { ConnectInfo, Overrides } from '../headless/wire.ts'
import { createTranslator, loadTranslator, type Translator } from '../messages/translator.ts'
import { errorDetail, type MortiseEventDetails, type MortiseEventName } from './events.ts'
import { skeleton, type ViewContext } from './parts.ts'
import { projectTheme } from './project-theme.ts'
import { styles } from './style.ts'

const scriptUrl = import.meta.url
/**
 * Where this script comes from: `connect/assets/` of the service. The address stands apart, because bundlers take
 * `new URL('…', import.meta.url)` for a file to bundle.
 */
const scriptBase = new URL('../../', scriptUrl).href.replace(/\/$/, '')

/** What all components have in common: the customer, language, theme, focus. */
export abstract class MortiseElement extends LitElement {
  static override styles = styles

  static override properties: PropertyDeclarations = {
    server: {},
    project: {},
    token: {},
    // A framework may pass another function with each rendering: the component uses the last one, and keeps its step.
    getToken: { attribute: false, hasChanged: (value, old) => Boolean(value) !== Boolean(old) },
    apiKey: { attribute: 'api-key' },
    groupRef: { attribute: 'group-ref' },
    consumerRef: { attribute: 'consumer-ref' },
    language: {},
    theme: { reflect: true },
    mode: {},
    messages: { attribute: false },
    windows: { attribute: false },
    translator: { state: true },
    isTranslated: { state: true },
  }

  /** Origin of the service; where the script comes from unless defined. */
  declare server: string | undefined
  declare project: string | undefined
  /** Token of a connect session, or a consumer's JWT. */
  declare token: string | undefined
  /** Returns a token; called again when the service refuses the last one. Another function does not begin again. */
  declare getToken: (() => string | Promise<string>) | undefined
  /** A frontend API key, with `groupRef` and `consumerRef`. */
  declare apiKey: string | undefined
  declare groupRef: string | undefined
  declare consumerRef: string | undefined
  /** BCP 47; the project's, or the browser's, unless defined. */
  declare language: string | undefined
  declare theme: 'light' | 'dark' | 'auto' | undefined
  /** How a provider's page opens; `popup` unless defined. */
  declare mode: 'popup' | 'redirect' | undefined
  /** Texts that replace or add to those of the component, by language and key. */
  declare messages: Overrides | undefined
  /** Instead of the browser's. */
  declare windows: Windows | undefined
  declare protected translator: Translator
  /** Whether the language is known and loaded: until then, no text is shown, so that it does not change in sight. */
  declare protected isTranslated: boolean

  #api: ConnectApi | undefined
  #stops: (() => void)[] = []
  #isUsed = false
  #viewKey = ''
  #attempts = 0
  #info: ConnectInfo | undefined
  #translations = 0
  /** Whether all that the first view needs is there. It is drawn next, and nothing before. */
  #isReady = false

  constructor() {
    super()
    this.translator = createTranslator('en')
    this.isTranslated = false
    for (const type of ['pointerdown', 'keydown'])
      this.addEventListener(type, () => {
        this.#isUsed = true
      })
  }

  /** Creates the stores. Called when the customer, the server or the language changes. */
  protected abstract begin(): void
  /** Name of the view; the heading takes the focus when it changes. */
  protected abstract viewKey(): string
  /** Grows when something failed; its reasons take the focus. */
  protected abstract attempts(): number
  /** Draws the current view. */
  protected abstract body(): TemplateResult

  protected override render(): TemplateResult {
    if (!this.isTranslated && this.#isReady) return html``
    return html`<div class="card" part="card">${this.isTranslated ? this.body() : skeleton(this.viewContext)}</div>`
  }

  protected get serverUrl(): string {
    return (this.server ?? scriptBase).replace(/\/$/, '')
  }

  get serverOrigin(): string {
    return new URL(this.serverUrl, location.href).origin
  }

  get api(): ConnectApi {
    if (!this.#api) throw new Error('The component has no project and no token yet.')
    return this.#api
  }

  get usedWindows(): Windows {
    this.windows ??= browserWindows()
    return this.windows
  }

  /** What the component knows of the customer; absent until it is loaded. */
  get currentInfo(): ConnectInfo | undefined {
    return this.#info
  }

  /** What the page knows of the customer already: used once, instead of the first request. */
  firstInfo: ConnectInfo | undefined
  /** Called with what the component knows of the customer whenever it is loaded. */
  onInfo: ((info: ConnectInfo) => void) | undefined

  protected get viewContext(): ViewContext {
    return {
      t: this.translator,
      app: this.#info?.appName,
      logoUrl: this.#info?.logoUrl,
      focus: (id) => this.focusOn(id),
    }
  }

  /** Draws again after every change of a store, until the component begins again. */
  follow(store: Readable<unknown>, onChange?: () => void): void {
    this.#stops.push(
      store.subscribe(() => {
        onChange?.()
        this.requestUpdate()
      }),
    )
  }

  /** Uses the builder's name, theme and language. */
  use(info: ConnectInfo | undefined): void {
    if (!info || info === this.#info) return
    // The project may have another language than the browser, which was loaded for the meantime.
    if (!this.#info) this.isTranslated = false
    this.#info = info
    projectTheme(this, info.connect.theme)
    this.theme ??= info.session?.theme
    this.onInfo?.(info)
    void this.#translate()
  }

  /** Tells the page about every new trouble. */
  reportTroubles<Failure extends Parameters<typeof errorDetail>[0]>(
    store: Readable<unknown>,
    current: () => Failure | undefined,
  ): void {
    let last: Failure | undefined
    this.follow(store, () => {
      const now = current()
      if (now && now !== last) this.notify('mortise-error', errorDetail(now))
      last = now
    })
  }

  notify<Name extends MortiseEventName>(type: Name, detail: MortiseEventDetails[Name]): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }))
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#end()
  }

  override connectedCallback(): void {
    super.connectedCallback()
    if (this.hasUpdated) this.#restart()
  }

  protected override willUpdate(changed: PropertyValues): void {
    const who = ['server', 'project', 'token', 'getToken', 'apiKey', 'groupRef', 'consumerRef', ...this.identity()]
    const isOther = ['language', 'messages'].some((name) => changed.has(name))
    if ((!this.hasUpdated && !this.firstInfo) || (this.hasUpdated && isOther)) void this.#translate()
    if (who.some((name) => changed.has(name))) this.#restart()
  }

  /** Further properties with which the component begins again. */
  protected identity(): string[] {
    return []
  }

  protected override updated(): void {
    this.lang = this.translator.language
    this.dir = this.translator.direction
    const key = this.viewKey()
    const attempts = this.attempts()
    const isOther = key !== this.#viewKey
    const hasFailed = attempts > this.#attempts
    this.#viewKey = key
    this.#attempts = attempts
    if (!this.#isUsed) return
    if (hasFailed) this.#focusNow('result')
    else if (isOther) this.#focusNow('heading')
  }

  /** After the next drawing, because the element may be new. */
  protected focusOn(id: string): void {
    void this.updateComplete.then(() => this.#focusNow(id))
  }

  #focusNow(id: string): void {
    const element = this.renderRoot.querySelector<HTMLElement>(`#${CSS.escape(id)}`)
    element?.focus()
    element?.scrollIntoView({ block: 'nearest' })
  }

  #restart(): void {
    this.#end()
    const { project, token, getToken, apiKey, groupRef, consumerRef } = this
    if (!project || (!token && !getToken && !apiKey)) return
    const api = createApi({
      server: this.serverUrl,
      project,
      ...(apiKey ? { apiKey } : { getToken: () => this.getToken?.() ?? token ?? '' }),
      ...(groupRef && { groupRef }),
      ...(consumerRef && { consumerRef }),
    })
    this.#api = this.firstInfo ? this.#startingWith(this.firstInfo, api) : api
    this.firstInfo = undefined
    this.begin()
  }

  #startingWith(info: ConnectInfo, api: ConnectApi): ConnectApi {
    let first: ConnectInfo | undefined = info
    this.#isReady = true
    // A language that still loads takes longer than this.
    setTimeout(() => {
      this.#isReady = false
      if (!this.isTranslated) this.requestUpdate()
    })
    return {
      ...api,
      getInfo: async () => {
        const known = first
        first = undefined
        return known ?? (await api.getInfo())
      },
    }
  }

  #end(): void {
    for (const stop of this.#stops) stop()
    this.#stops = []
  }

  /** Runs when the component begins again or is removed. */
  onEnd(stop: () => void): void {
    this.#stops.push(stop)
  }

  /** Uses the language that is wanted now. A language that was wanted before and loads later is not used. */
  async #translate(): Promise<void> {
    const number = ++this.#translations
    const { connect, session } = this.#info ?? {}
    const wanted = [this.language, session?.language, connect?.language, ...navigator.languages].filter(
      (tag) => tag !== undefined && tag !== '',
    )
    const translator = await loadTranslator(wanted as string[], [connect?.messages ?? {}, this.messages ?? {}])
    if (number !== this.#translations) return
    this.translator = translator
    this.isTranslated = true
  }
}
