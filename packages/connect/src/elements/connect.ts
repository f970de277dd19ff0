import type { PropertyDeclarations, TemplateResult } from 'lit'
import { ConnectStore } from '../headless/connect-store.ts'
import { ConnectPart } from './connect-part.ts'
import { MortiseElement } from './element.ts'

/**
 * Lets a customer choose a provider and give access to an account.
 *
 * @fires mortise-connected - `{connection}`
 * @fires mortise-error - `{kind, detail, issues, requestId, canRetry}`
 * @fires mortise-closed - the customer is done
 */
export class MortiseConnect extends MortiseElement {
  static override properties: PropertyDeclarations = {
    provider: {},
    connection: {},
    closable: { type: Boolean },
  }

  /** The only provider. */
  declare provider: string | undefined
  /** Id of a connection that gets new access. */
  declare connection: string | undefined
  /** Whether the last step has a button, which fires `mortise-closed`. */
  declare closable: boolean | undefined

  readonly #connecting = new ConnectPart(this)

  protected override identity(): string[] {
    return ['provider', 'connection']
  }

  protected override begin(): void {
    const { provider, connection } = this
    const store = new ConnectStore({
      ...this.#connecting.options(this.api, this.serverOrigin),
      ...(provider && { provider }),
      ...(connection && { connectionId: connection }),
      onConnected: (made) => this.notify('mortise-connected', { connection: made }),
    })
    this.#connecting.use(store)
    this.onEnd(() => store.stop())
    this.follow(store, () => this.use(store.getState().info))
    this.reportTroubles(store, () => store.getState().trouble ?? store.getState().access?.result)
    void store.start()
  }

  protected override viewKey(): string {
    return this.#connecting.viewKey
  }

  protected override attempts(): number {
    return this.#connecting.attempts
  }

  protected override body(): TemplateResult {
    const onDone = this.closable ? () => this.notify('mortise-closed', {}) : undefined
    return this.#connecting.render({ ...this.viewContext, onDone })
  }
}
