import type { TemplateResult } from 'lit'
import { ConnectStore } from '../headless/connect-store.ts'
import { ManageStore } from '../headless/manage-store.ts'
import { ConnectPart } from './connect-part.ts'
import type { MortiseElement } from './element.ts'
import { InstallFlow } from './install-flow.ts'
import { manageView } from './manage-view.ts'
import { skeleton, type ViewContext } from './parts.ts'
import { WebhookPart } from './webhook-part.ts'

/** The list of what is connected and installed, with the steps that change it, inside an element. */
export class ManageFlow {
  readonly #host: MortiseElement
  readonly #connecting: ConnectPart
  readonly #installing: InstallFlow
  readonly #webhook: WebhookPart
  #store: ManageStore | undefined

  constructor(host: MortiseElement) {
    this.#host = host
    this.#connecting = new ConnectPart(host)
    this.#installing = new InstallFlow(host)
    this.#webhook = new WebhookPart(host)
  }

  begin(integration?: string): void {
    const host = this.#host
    const store = new ManageStore({
      api: host.api,
      ...(integration !== undefined && { integration }),
      onRemoved: (removed) => host.notify('mortise-removed', removed),
    })
    this.#store = store
    this.#connecting.use(undefined)
    this.#installing.end()
    host.onEnd(() => store.stop())
    host.follow(store, () => {
      const { info, step } = store.getState()
      host.use(info)
      if (step === 'reconnect' && !this.#connecting.store) this.#reconnect(store)
      else if (step !== 'reconnect') this.#connecting.use(undefined)
      if (step === 'change' && !this.#installing.isRunning)
        this.#installing.begin({ integration: store.getState().target?.integrationId })
      else if (step !== 'change') this.#installing.end()
      const { integrationId, installationId } = store.getState().target ?? {}
      if (step === 'webhook' && integrationId !== undefined && installationId !== undefined)
        this.#webhook.begin(integrationId, installationId)
      else this.#webhook.end()
    })
    host.reportTroubles(store, () => store.getState().trouble ?? store.getState().actionTrouble)
    void store.start()
  }

  end(): void {
    this.#store?.stop()
    this.#store = undefined
    this.#connecting.use(undefined)
    this.#installing.end()
    this.#webhook.end()
  }

  get viewKey(): string {
    return `${this.#store?.getState().step} ${this.#connecting.viewKey} ${this.#installing.viewKey} ${this.#webhook.viewKey}`
  }

  get attempts(): number {
    return (
      (this.#store?.getState().attempts ?? 0) +
      this.#connecting.attempts +
      this.#installing.attempts +
      this.#webhook.attempts
    )
  }

  render(context: ViewContext, onBack?: () => void): TemplateResult {
    const store = this.#store
    if (!store) return skeleton(context)
    const refresh = () => void store.start()
    const back = () => store.back()
    return manageView(context, store, store.getState(), {
      onBack,
      reconnect: () => this.#connecting.render({ ...context, onBack: back, onDone: refresh }),
      webhook: () => this.#webhook.render({ ...context, onBack: refresh }),
      change: () => this.#installing.render(context, { onBack: back, onDone: refresh }),
    })
  }

  #reconnect(managing: ManageStore): void {
    const host = this.#host
    const { info, target } = managing.getState()
    if (!info || !target?.connection) return
    const { id, provider } = target.connection
    const store = new ConnectStore({
      ...this.#connecting.options(host.api, host.serverOrigin),
      info,
      provider,
      connectionId: id,
      onConnected: (connection) => host.notify('mortise-connected', { connection }),
    })
    this.#connecting.use(store)
    host.onEnd(() => store.stop())
    host.reportTroubles(store, () => store.getState().access?.result)
    void store.start()
  }
}
