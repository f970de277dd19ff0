import { useSyncExternalStore } from 'react'
import type { Readable } from '../headless/readable.ts'

/** Returns the state of a store, and renders again after each change. */
export function useStore<State>(store: Readable<State>): State {
  return useSyncExternalStore(store.subscribe, store.getState, store.getState)
}
