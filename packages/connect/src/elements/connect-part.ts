import type { TemplateResult } from 'lit'
import type { ConnectApi } from '../headless/api.ts'
import type { ConnectOptions, ConnectStore } from '../headless/connect-store.ts'
import { type ConnectView, connectView } from './connect-view.ts'
import type { MortiseElement } from './element.ts'
import { skeleton } from './parts.ts'
import { rememberReturn, takeReturn } from './returning.ts'

/** The part of an element that gives access to an account. */
export class ConnectPart {
  readonly #host: MortiseElement
  readonly #revealed = new Set<string>()
  store: ConnectStore | undefined

  constructor(host: MortiseElement) {
    this.#host = host
  }

  use(store: ConnectStore | undefined): void {
    if (store !== this.store) this.store?.stop()
    this.store = store
    this.#revealed.clear()
  }

  /** What every store of this page needs. */
  options(api: ConnectApi, server: string): Pick<ConnectOptions, 'api' | 'windows' | 'server' | 'mode' | 'returned'> {
    const returned = takeReturn()
    const { mode } = this.#host
    return {
      api,
      server,
      windows: rememberReturn(this.#host.usedWindows, () => this.store?.getState().access?.provider.name),
      ...(mode && { mode }),
      ...(returned && { returned }),
    }
  }

  get viewKey(): string {
    const state = this.store?.getState()
    const access = state?.access
    return `${state?.step} ${access?.provider.name ?? ''} ${access?.phase === 'window'} ${access?.continueUrl ?? ''}`
  }

  get attempts(): number {
    return this.store?.getState().access?.attempts ?? 0
  }

  render(view: Omit<ConnectView, 'revealed' | 'reveal'>): TemplateResult {
    if (!this.store) return skeleton(view)
    const reveal = (name: string) => {
      if (!this.#revealed.delete(name)) this.#revealed.add(name)
      this.#host.requestUpdate()
    }
    return connectView({ ...view, revealed: this.#revealed, reveal }, this.store, this.store.getState())
  }
}
