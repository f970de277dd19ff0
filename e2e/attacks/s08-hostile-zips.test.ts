import { attack } from './s08-hostile-zips.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
