import type { TemplateResult } from 'lit'
import { WebhookStore } from '../headless/webhook-store.ts'
import type { MortiseElement } from './element.ts'
import { skeleton } from './parts.ts'
import { type WebhookView, webhookView } from './webhook-view.ts'

/** The part of an element that shows the webhook of an installation and takes its secret. */
export class WebhookPart {
  readonly #host: MortiseElement
  #store: WebhookStore | undefined
  #installationId: string | undefined
  #isRevealed = false
  #isCopied = false

  constructor(host: MortiseElement) {
    this.#host = host
  }

  /** Begins with an installation; does nothing if it has begun with it already. */
  begin(integrationId: string, installationId: string): void {
    if (this.#installationId === installationId) return
    this.end()
    const host = this.#host
    const store = new WebhookStore({ api: host.api, integrationId, installationId })
    this.#store = store
    this.#installationId = installationId
    host.onEnd(() => store.stop())
    host.follow(store, () => {})
    host.reportTroubles(store, () => store.getState().trouble)
    void store.start()
  }

  end(): void {
    this.#store?.stop()
    this.#store = undefined
    this.#installationId = undefined
    this.#isRevealed = false
    this.#isCopied = false
  }

  get viewKey(): string {
    return `${this.#installationId} ${this.#store?.getState().step}`
  }

  get attempts(): number {
    return this.#store?.getState().attempts ?? 0
  }

  render(view: Omit<WebhookView, 'isRevealed' | 'reveal' | 'isCopied' | 'copy'>): TemplateResult {
    const store = this.#store
    if (!store) return skeleton(view)
    const update = () => this.#host.requestUpdate()
    const complete: WebhookView = {
      ...view,
      isRevealed: this.#isRevealed,
      reveal: () => {
        this.#isRevealed = !this.#isRevealed
        update()
      },
      isCopied: this.#isCopied,
      copy: async (text) => {
        try {
          await navigator.clipboard.writeText(text)
          this.#isCopied = true
        } catch {
          // Without access to the clipboard, the customer copies the selected address.
          this.#isCopied = false
        }
        update()
        if (!this.#isCopied) view.focus('webhook-url')
      },
    }
    return webhookView(complete, store, store.getState())
  }
}
