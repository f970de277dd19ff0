import { getConsoleAsset } from './endpoints/get-console-asset.ts'
import { showConsole } from './endpoints/show-console.ts'
import { showConsolePage } from './endpoints/show-console-page.ts'

export { type ConsoleAssets, createConsoleAssets } from './console-assets.ts'

export const consoleEndpoints = [showConsole, showConsolePage, getConsoleAsset]
