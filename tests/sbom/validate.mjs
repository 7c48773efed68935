// Validates a bill of materials by the schema of CycloneDX 1.6, and its licences as expressions of SPDX: node validate.mjs FILE
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { readFileSync } from "node:fs";
import parse from "spdx-expression-parse";

const text = readFileSync(process.argv[2], "utf8");
const errors = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
if (errors) {
  console.error(JSON.stringify(errors).slice(0, 4000));
  process.exit(1);
}
let expressions = 0;
for (const component of JSON.parse(text).components) {
  for (const { expression, license } of component.licenses ?? []) {
    parse(expression ?? license.id ?? "LicenseRef-named");
    expressions++;
  }
}
console.log(`valid, ${expressions} licences`);
