import type { TemplateResult } from 'lit'
import { ConnectStore } from '../headless/connect-store.ts'
import type { DynamicMappings } from '../headless/draft.ts'
import { InstallStore } from '../headless/install-store.ts'
import type { Installation } from '../headless/wire.ts'
import { ConnectPart } from './connect-part.ts'
import type { MortiseElement } from './element.ts'
import { InstallPart } from './install-part.ts'
import type { ViewContext } from './parts.ts'
import { WebhookPart } from './webhook-part.ts'

/** All steps from an account to an installation, inside an element. */
export class InstallFlow {
  readonly #host: MortiseElement
  readonly #connecting: ConnectPart
  readonly #installing: InstallPart
  readonly #webhook: WebhookPart

  constructor(host: MortiseElement) {
    this.#host = host
    this.#connecting = new ConnectPart(host)
    this.#installing = new InstallPart(host)
    this.#webhook = new WebhookPart(host)
  }

  begin({ integration, mappings }: { integration?: string | undefined; mappings?: DynamicMappings | undefined }): void {
    const host = this.#host
    const installed = (type: 'mortise-installed' | 'mortise-changed') => (installation: Installation) =>
      host.notify(type, { installation })
    const store = new InstallStore({
      api: host.api,
      windows: host.usedWindows,
      ...(integration && { integration }),
      ...(mappings && { mappings }),
      onInstalled: installed('mortise-installed'),
      onChanged: installed('mortise-changed'),
    })
    this.#installing.use(store)
    this.#connecting.use(undefined)
    host.onEnd(() => store.stop())
    host.follow(store, () => {
      const state = store.getState()
      host.use(state.info)
      if (state.step === 'connect' && !this.#connecting.store) this.#connect(store)
      else if (state.step !== 'connect') this.#connecting.use(undefined)
      const { step, integration, installation } = state
      if (step === 'webhook' && integration && installation) this.#webhook.begin(integration.id, installation.id)
      else this.#webhook.end()
    })
    host.reportTroubles(store, () => store.getState().trouble ?? store.getState().saveTrouble)
    void store.start()
  }

  end(): void {
    this.#installing.use(undefined)
    this.#connecting.use(undefined)
    this.#webhook.end()
  }

  get isRunning(): boolean {
    return this.#installing.store !== undefined
  }

  get viewKey(): string {
    return `${this.#installing.viewKey} ${this.#connecting.viewKey} ${this.#webhook.viewKey}`
  }

  get attempts(): number {
    return this.#installing.attempts + this.#connecting.attempts + this.#webhook.attempts
  }

  render(
    context: ViewContext,
    { onDone, onBack }: { onDone?: (() => void) | undefined; onBack?: (() => void) | undefined },
  ): TemplateResult {
    const { store } = this.#installing
    const connect = () =>
      this.#connecting.render({ ...context, onBack: store?.canGoBack ? () => store.back() : onBack })
    const webhook = () => this.#webhook.render({ ...context, onDone: () => store?.finishWebhook() })
    return this.#installing.render({ ...context, onDone, onBack, connect, webhook })
  }

  /** The step that gives access has its own store. */
  #connect(installing: InstallStore): void {
    const host = this.#host
    const { info, integration, connections } = installing.getState()
    if (!info || !integration) return
    const broken = connections.find(({ status }) => status === 'bad_credentials')
    const store = new ConnectStore({
      ...this.#connecting.options(host.api, host.serverOrigin),
      info,
      provider: integration.provider,
      ...(broken && { connectionId: broken.id }),
      onConnected: (connection) => {
        host.notify('mortise-connected', { connection })
        void installing.useConnection(connection)
      },
    })
    this.#connecting.use(store)
    host.onEnd(() => store.stop())
    host.reportTroubles(store, () => store.getState().access?.result)
    void store.start()
  }
}
