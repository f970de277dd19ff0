/** What commands do with an installation. They load it when they run. */

export { applyChoices, contentOfManifest, hasChoice, withDefaultFields } from './config-content.ts'
export { readConfigFile } from './config-file.ts'
export { contentOf, findInstallation, requireInstallation } from './find-installation.ts'
export { installationText } from './installation-text.ts'
export { updateOf } from './update-of.ts'
