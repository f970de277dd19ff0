import type { TemplateResult } from 'lit'
import type { InstallStore } from '../headless/install-store.ts'
import type { MortiseElement } from './element.ts'
import type { InstallView } from './install-context.ts'
import { installView } from './install-view.ts'

/** The part of an element that chooses, installs and changes. */
export class InstallPart {
  readonly #host: MortiseElement
  #picker: string | undefined
  #record = 0
  store: InstallStore | undefined

  constructor(host: MortiseElement) {
    this.#host = host
  }

  use(store: InstallStore | undefined): void {
    if (store !== this.store) this.store?.stop()
    this.store = store
    this.#picker = undefined
    this.#record = 0
  }

  get viewKey(): string {
    const state = this.store?.getState()
    return `${state?.step} ${state?.step === 'object' ? state.objectName : ''}`
  }

  get attempts(): number {
    return this.store?.getState().attempts ?? 0
  }

  render(view: Omit<InstallView, 'openPicker' | 'setPicker' | 'recordIndex' | 'setRecord'>): TemplateResult {
    const { store } = this
    if (!store) return view.connect()
    const complete: InstallView = {
      ...view,
      openPicker: this.#picker,
      setPicker: (name) => {
        this.#picker = name
        this.#host.requestUpdate()
        if (name !== undefined) view.focus('picker')
      },
      recordIndex: this.#record,
      setRecord: (index) => {
        this.#record = index
        this.#host.requestUpdate()
      },
    }
    return installView(complete, store, store.getState())
  }
}
