import type { TemplateResult } from 'lit'
import { GalleryStore } from '../headless/gallery-store.ts'
import { MortiseElement } from './element.ts'
import { galleryView } from './gallery-view.ts'
import { InstallFlow } from './install-flow.ts'
import { ManageFlow } from './manage-flow.ts'
import { skeleton } from './parts.ts'

/**
 * A gallery of your integrations: which of them a customer uses, and the steps to set up and to manage each.
 *
 * @fires mortise-connected - `{connection}`
 * @fires mortise-installed - `{installation}`
 * @fires mortise-changed - `{installation}`
 * @fires mortise-removed - `{installationId}` or `{connectionId}`
 * @fires mortise-error - `{kind, detail, issues, requestId, canRetry}`
 */
export class MortiseIntegrations extends MortiseElement {
  readonly #installing = new InstallFlow(this)
  readonly #managing = new ManageFlow(this)
  #store: GalleryStore | undefined
  #opened: string | undefined

  protected override begin(): void {
    const store = new GalleryStore({ api: this.api })
    this.#store = store
    this.follow(store, () => {
      const { info, step, integrationId } = store.getState()
      this.use(info)
      const opened = `${step} ${integrationId}`
      if (opened === this.#opened) return
      this.#opened = opened
      this.#installing.end()
      this.#managing.end()
      if (step === 'setUp') this.#installing.begin({ integration: integrationId })
      if (step === 'manage') this.#managing.begin(integrationId)
    })
    this.reportTroubles(store, () => store.getState().trouble)
    void store.start()
  }

  protected override viewKey(): string {
    return `${this.#store?.getState().step} ${this.#installing.viewKey} ${this.#managing.viewKey}`
  }

  protected override attempts(): number {
    return this.#installing.attempts + this.#managing.attempts
  }

  protected override body(): TemplateResult {
    const context = this.viewContext
    const store = this.#store
    if (!store) return skeleton(context)
    const back = () => void store.start()
    const { step } = store.getState()
    if (step === 'setUp') return this.#installing.render(context, { onBack: back, onDone: back })
    if (step === 'manage') return this.#managing.render(context, back)
    return galleryView(context, store, store.getState())
  }
}
