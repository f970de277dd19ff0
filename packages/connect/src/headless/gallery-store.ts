import type { ConnectApi } from './api.ts'
import { StateHolder } from './readable.ts'
import { indexed, type SearchIndex, search } from './search.ts'
import { type Trouble, troubleOf } from './trouble.ts'
import type { ConnectInfo, IntegrationSummary } from './wire.ts'

/** An integration of the project, and whether this customer uses it. */
export interface GalleryItem {
  integration: IntegrationSummary
  state: 'available' | 'working' | 'paused' | 'attention'
}

export interface GalleryState {
  step: 'loading' | 'failed' | 'list' | 'setUp' | 'manage'
  info?: ConnectInfo
  trouble?: Trouble
  search: string
  /** What contains the searched text; what needs attention first, then what is installed. */
  items: readonly GalleryItem[]
  total: number
  /** Id of the integration of steps `setUp` and `manage`. */
  integrationId?: string
}

const order = ['attention', 'paused', 'working', 'available']

/** Shows all integrations of the project that the customer may use. */
export class GalleryStore extends StateHolder<GalleryState> {
  readonly #api: ConnectApi
  #index: SearchIndex<GalleryItem> = { entries: [], texts: [] }

  constructor(options: { api: ConnectApi }) {
    super({ step: 'loading', search: '', items: [], total: 0 })
    this.#api = options.api
  }

  /** Loads the list. Call it once, and again to refresh. */
  async start(): Promise<void> {
    try {
      const info = await this.#api.getInfo()
      const items = info.integrations
        .map((integration): GalleryItem => ({ integration, state: stateOf(info, integration) }))
        .toSorted(
          (a, b) =>
            order.indexOf(a.state) - order.indexOf(b.state) ||
            a.integration.displayName.localeCompare(b.integration.displayName),
        )
      const text = ({ integration }: GalleryItem) => `${integration.displayName} ${integration.providerDisplayName}`
      this.#index = indexed(items, text)
      const found = search(this.#index, this.getState().search)
      this.set({ step: 'list', info, items: found, total: items.length, trouble: undefined, integrationId: undefined })
    } catch (error) {
      this.set({ step: 'failed', trouble: troubleOf(error) })
    }
  }

  setSearch(text: string): void {
    this.set({ search: text, items: search(this.#index, text) })
  }

  /** Opens the steps that install it, or what is installed. */
  open({ integration, state }: GalleryItem): void {
    this.set({ step: state === 'available' ? 'setUp' : 'manage', integrationId: integration.id })
  }
}

function stateOf({ installations, connections }: ConnectInfo, { id }: IntegrationSummary): GalleryItem['state'] {
  const installation = installations.find(({ integrationId }) => integrationId === id)
  if (!installation) return 'available'
  const connection = connections.find((one) => one.id === installation.connectionId)
  if (connection?.status === 'bad_credentials') return 'attention'
  if (installation.isPaused) return 'paused'
  return installation.healthStatus === 'unhealthy' ? 'attention' : 'working'
}
