@echo off
rem Builds what is needed, the first time and after a change, and runs a command: spd lists them. Does what ./spd does.
setlocal
set "root=%~dp0"
set "root=%root:~0,-1%"
set "command=%~1"

rem Spark and an NVIDIA card are on the class path of those alone who ask for them. To cmd, "=" ends an argument as a space does.
set module=launcher
set folder=target
set "profiles="
set "gpu="
set "capability="
set "threads=%NUMBER_OF_PROCESSORS%"
:arguments
if [%1]==[] goto parsed
if "%~1"=="--spark" set module=spark
if "%~1"=="--gpu" set gpu=yes
if "%~1"=="--threads" set "threads=%~2"
shift /1
goto arguments
:parsed
if not defined gpu goto chosen
if %module%==spark (echo --gpu does not go with --spark; leave one out>&2 & exit /b 2)
for /f "tokens=1 delims=." %%c in ('nvidia-smi --query-gpu^=compute_cap --format^=csv^,noheader 2^>nul') do if not defined capability set "capability=%%c"
set "known="
for %%c in (3 4 5 6 7 8 9 10 11 12) do if "%capability%"=="%%c" set known=yes
if not defined known (echo --gpu needs an NVIDIA card and its driver: nvidia-smi names no card; leave --gpu out>&2 & exit /b 2)
set profile=cuda
if %capability% geq 9 set profile=cuda-hopper
rem Its DL4J may be another one, and class files of two do not mix.
set "folder=target/%profile%"
set "profiles=-P%profile% -Dbuild.folder=%folder%"
:chosen
set "target=%root%\application\%module%\%folder:/=\%"

rem The class path is longer than a command line may be: Java reads it from a file.
set "arguments=%target%\arguments.txt"
powershell -NoProfile -Command "if (-not (Test-Path -LiteralPath $env:arguments)) { exit 1 }; $built = (Get-Item -LiteralPath $env:arguments).LastWriteTime; if (Get-ChildItem -LiteralPath $env:root -Recurse -File | Where-Object { $_.LastWriteTime -gt $built -and ($_.FullName -like '*\src\main\*' -or $_.Name -eq 'pom.xml') } | Select-Object -First 1) { exit 1 }"
if not errorlevel 1 goto built

where mvn >nul 2>nul || (echo spd needs Maven ^(mvn^) on the PATH, to build itself>&2 & exit /b 2)
echo Building (the first time Maven downloads a few hundred MB) ...>&2
pushd "%root%"
call mvn -q -B -ntp -DskipTests %profiles% -pl "application/%module%" -am package
set failed=%errorlevel%
popd
rem Exit codes are those of the commands: 2 for what a user can put right.
if not %failed%==0 (
  echo The build failed; the lines above say why. It needs JDK 17 or newer, Maven 3.6.3 or newer and a network.>&2
  exit /b 2
)
rem With Spark its own code is a jar, which is sent to the executors. In the file a backslash would need another one.
powershell -NoProfile -Command "$classes = $env:root + '\application\launcher\' + $env:folder + '\classes'; if ($env:module -eq 'spark') { $classes = (Get-ChildItem -Path ($env:target + '\spd-application-spark-*.jar') | Where-Object { $_.Name -notmatch 'sources|javadoc|submit' } | Select-Object -First 1).FullName }; $list = (Get-Content -LiteralPath ($env:target + '\classpath.txt') -Raw).Trim(); Set-Content -LiteralPath $env:arguments -Encoding Default -Value ('-cp ' + [char]34 + ($classes + ';' + $list).Replace('\', '/') + [char]34)"
if errorlevel 1 exit /b 2
:built

rem Native libraries read these when they are loaded, so that they have to be there before Java starts.
if not defined OMP_WAIT_POLICY set OMP_WAIT_POLICY=passive
if not defined OPENBLAS_THREAD_TIMEOUT set OPENBLAS_THREAD_TIMEOUT=4
if "%command%"=="bench" set "OMP_NUM_THREADS=%threads%"

set commit=unknown
for /f "delims=" %%c in ('git -C "%root%" describe --always --dirty --abbrev^=12 2^>nul') do set "commit=%%c"

rem JavaCPP's warnings go where those of other libraries go: it has some about natives that are newer than itself.
set "options=-Dorg.bytedeco.javacpp.logger=slf4j"
if %module%==spark for %%p in (java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent java.util.concurrent.atomic sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar) do call set "options=%%options%% --add-opens=java.base/%%p=ALL-UNNAMED"

set java=java
if defined JAVA_HOME set "java=%JAVA_HOME%\bin\java.exe"
if defined JAVA_HOME if not exist "%java%" goto missing
if not defined JAVA_HOME where java >nul 2>nul || goto missing
"%java%" -Xmx2g -Dorg.bytedeco.javacpp.maxbytes=6g -Dorg.bytedeco.javacpp.maxphysicalbytes=10g %SPD_JAVA_OPTIONS% "-Dspd4j.commit=%commit%" %options% "@%arguments%" io.github.spd4j.cli.Main %*
exit /b %errorlevel%

:missing
echo spd needs Java 17 or newer, got no %java%; set JAVA_HOME or PATH>&2
exit /b 2
