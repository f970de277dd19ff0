import type { ConnectApi } from './api.ts'
import { StateHolder } from './readable.ts'
import { type Trouble, troubleOf } from './trouble.ts'
import type { InstallationWebhook } from './wire.ts'

export interface WebhookState {
  step: 'loading' | 'failed' | 'ready'
  /** The URL to enter at the provider, and whether the secret is known. */
  webhook?: InstallationWebhook
  /** What the customer typed. It is dropped once it is saved. */
  secret: string
  isSaving: boolean
  isSaved: boolean
  /** Whether the customer saved without a secret. */
  isMissing: boolean
  /** Why there is nothing to show, or why the secret could not be saved. */
  trouble?: Trouble
  /** Grows with every attempt that failed. */
  attempts: number
}

export interface WebhookOptions {
  api: Pick<ConnectApi, 'getWebhook' | 'setWebhookSecret'>
  integrationId: string
  installationId: string
  onSaved?(webhook: InstallationWebhook): void
}

/** Shows a customer the webhook to set up at the provider, and takes its secret. */
export class WebhookStore extends StateHolder<WebhookState> {
  readonly #options: WebhookOptions
  #run = new AbortController()

  constructor(options: WebhookOptions) {
    super({ step: 'loading', secret: '', isSaving: false, isSaved: false, isMissing: false, attempts: 0 })
    this.#options = options
  }

  /** Loads the URL. Call it once, and again to retry. */
  async start(): Promise<void> {
    this.#run.abort()
    this.#run = new AbortController()
    const { signal } = this.#run
    const { api, integrationId, installationId } = this.#options
    this.set({ step: 'loading', trouble: undefined })
    try {
      const webhook = await api.getWebhook(integrationId, installationId)
      if (!signal.aborted) this.set({ step: 'ready', webhook })
    } catch (error) {
      if (!signal.aborted) this.set({ step: 'failed', trouble: troubleOf(error) })
    }
  }

  /** Ends what runs, for example when the component is removed. */
  stop(): void {
    this.#run.abort()
  }

  setSecret(secret: string): void {
    this.set({ secret, isSaved: false, isMissing: false, trouble: undefined })
  }

  /** Saves the secret. The one that it replaces is valid for a day more. */
  async save(): Promise<void> {
    const { secret, isSaving, attempts } = this.getState()
    if (isSaving) return
    if (secret.trim() === '') return this.set({ isMissing: true, attempts: attempts + 1 })
    const { signal } = this.#run
    const { api, integrationId, installationId, onSaved } = this.#options
    this.set({ isSaving: true, trouble: undefined })
    try {
      const webhook = await api.setWebhookSecret(integrationId, installationId, secret)
      if (signal.aborted) return
      this.set({ webhook, secret: '', isSaving: false, isSaved: true })
      onSaved?.(webhook)
    } catch (error) {
      if (!signal.aborted) this.set({ isSaving: false, trouble: troubleOf(error), attempts: attempts + 1 })
    }
  }
}
