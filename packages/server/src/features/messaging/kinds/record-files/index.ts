export { openFiles, type PutObject, type StoredObject } from './send-files.ts'
export {
  collectingOfFiles,
  formatOfFiles,
  isObjectForEach,
  type ObjectSettings,
  objectProperties,
  readObjectSettings,
} from './settings.ts'
